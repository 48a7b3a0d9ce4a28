"""Runs of the kind "regression": a model fitted to given readings of a field, without a mission."""
