"""Ground truth, for simulation and scoring."""

from akrig.errors import DownloadFailed, InvalidField, UnknownField
from akrig.fields.catalogue import CATALOGUE, TERRAINS, load_field
from akrig.fields.functions import CHIRP, STEP, Function1D
from akrig.fields.grid import GridField
from akrig.fields.raster import read_raster

__all__ = [
    "CATALOGUE",
    "CHIRP",
    "STEP",
    "TERRAINS",
    "DownloadFailed",
    "Function1D",
    "GridField",
    "InvalidField",
    "UnknownField",
    "load_field",
    "read_raster",
]
