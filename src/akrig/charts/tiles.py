"""One tile of a map: what any worker computes, with the same digits."""

import json
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from akrig.charts.folder import ChartFolder
from akrig.charts.grids import Tile, area_inside, grid_from
from akrig.config.build import build_model
from akrig.config.settings import Settings
from akrig.config.vehicles import box
from akrig.errors import ChartError
from akrig.protocols import Model, Saved, capability
from akrig.survey.area import Area
from akrig.survey.exports.geotiff import CHUNK
from akrig.threads import one_thread_each


def compute_tile(folder: Path, settings: dict[str, Any], plan: dict[str, Any], row: int, col: int) -> float:
    """Mean and standard deviation of the field at each cell's centre, NaN outside the area; returns the seconds.

    Args:
        settings: that the model was made by.
        plan: the grid and the area, as JSON knows them.
    """
    begin, chart, tile = time.perf_counter(), ChartFolder(folder), Tile(row, col)
    if not chart.model.exists():
        raise ChartError(f"{folder} is not there on this worker's machine; all workers need it at the same path.")
    with one_thread_each():
        grid, area = grid_from(plan["grid"]), _area(json.dumps(plan))
        X = grid.centres(tile.rows, tile.cols)
        inside = np.ones(len(X), dtype=bool) if area is None else area.allows(X)
        bands = np.full((2, len(X)), np.nan, dtype=np.float32)
        if inside.any():
            model = _model(chart.model, chart.model.stat().st_mtime_ns, json.dumps(settings))
            for rows in np.array_split(np.flatnonzero(inside), -(-int(inside.sum()) // CHUNK)):
                said = model.latent(X[rows])
                bands[:, rows] = said.mean, said.std
        chart.write_tile(tile, bands.reshape(2, *tile.shape(grid)))
    return time.perf_counter() - begin


def new_model(settings: Settings) -> Model:
    workspace = box(settings.workspace)
    assert workspace is not None
    return build_model(settings, workspace=workspace)


def saved(model: Model, settings: Settings) -> Saved:
    """`ChartError` if it cannot be."""
    found = capability(model, Saved)
    if found is None:
        raise ChartError(
            f"The model {settings.model.name} cannot be saved, and the tiles of a map are computed from a file; take "
            "one with save and load, such as --model combined."
        )
    return found


@lru_cache(maxsize=1)
def _model(path: Path, written: int, settings: str) -> Model:
    """Read once by every process."""
    made = Settings.model_validate(json.loads(settings))
    model = new_model(made)
    saved(model, made).load(path)
    return model


@lru_cache(maxsize=1)
def _area(plan: str) -> Area | None:
    content = json.loads(plan)
    return area_inside(content["area"], grid_from(content["grid"]).frame)
