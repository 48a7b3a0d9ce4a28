"""Maps that lie on Earth, in the metres of their mission: readings, plans and fences are in these."""

import xarray as xr

LOCAL = {"x": "local_x", "y": "local_y"}  # beside the coordinates of the map's reference system
MAPPING = "crs"  # the variable that says which reference system that is


def in_mission_metres(content: xr.Dataset) -> xr.Dataset:
    """As it is if it has no other coordinates."""
    for axis, name in LOCAL.items():
        if name in content.coords:
            content = content.assign_coords({axis: (axis, content[name].to_numpy())}).drop_vars(name)
    return content.drop_vars(MAPPING, errors="ignore")
