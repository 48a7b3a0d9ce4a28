"""A survey with a boat: from a drawn polygon to a georeferenced map."""
