"""Maps as the page gets them: layers of 32-bit floats on a grid, row 0 south, behind JSON that says what they are."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.files import LARGEST, open_file
from akrig.journal.surfaces import DAMAGED as DAMAGED
from akrig.journal.surfaces import check_surface

LAYERS = ("mean", "std", "lengthscale", "truth")


@dataclass(frozen=True, eq=False)
class Map:
    """Args:
    readings: that it was made from.
    layers: (rows, columns) each, over the workspace, corners included.
    """

    readings: int
    layers: Mapping[str, np.ndarray]

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = next(iter(self.layers.values())).shape
        return rows, columns

    def top(self, layer: str) -> float | None:
        """What nearly all values lie below."""
        values = self.layers.get(layer)
        finite = np.empty(0) if values is None else values[np.isfinite(values)]
        return float(np.percentile(finite, 99)) if len(finite) else None


def read_snapshot(readings: int, file: Path) -> Map:
    with open_file(file, most=LARGEST) as opened, np.load(opened) as arrays:  # numpy leaves a bad file open
        layers = {name: np.asarray(arrays[name]) for name in LAYERS if name in arrays}
    for name, layer in layers.items():
        check_surface(name, layer)
    found = Map(readings, {name: layer.astype(np.float32) for name, layer in layers.items()})
    if not {"mean", "std"} <= found.layers.keys() or any(layer.shape != found.shape for layer in found.layers.values()):
        raise ValueError(f"{file} is not a snapshot.")
    if min(found.shape) < 2:
        raise ValueError(f"{file} has too few points to be read between them.")
    return found


def encoded(map: Map) -> bytes:
    rows, columns = map.shape
    header = {"readings": map.readings, "rows": rows, "columns": columns, "layers": list(map.layers)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)  # floats must begin at a multiple of four
    body = b"".join(np.ascontiguousarray(layer, dtype="<f4").tobytes() for layer in map.layers.values())
    return struct.pack("<I", len(text)) + text + body


def interpolated(map: Map, share_east: float, share_north: float) -> dict[str, float | None]:
    """All layers between the four nearest points of the grid; shares of the workspace's sides."""
    rows, columns = map.shape
    column, row = share_east * (columns - 1), share_north * (rows - 1)
    j, i = min(int(column), columns - 2), min(int(row), rows - 2)
    u, v = column - j, row - i
    values = {}
    for name, layer in map.layers.items():
        (a, b), (c, d) = layer[i : i + 2, j : j + 2].astype(float)
        value = (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * c + u * d)
        values[name] = float(value) if np.isfinite(value) else None
    return values
