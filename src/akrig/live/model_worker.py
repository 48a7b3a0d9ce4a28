"""What a run's model says about places: functions for a process of its own, which may take its time.

Nothing here writes, and nothing that a run folder names is imported.
"""

import os
import signal
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from akrig.errors import AkrigError
from akrig.geometry import Box
from akrig.live.process import lower_priority
from akrig.protocols import Saved, capability
from akrig.types import Points, Values

if TYPE_CHECKING:
    from akrig.config import Settings

LOWEST = 19  # priority there is: the mission comes first
CHUNK = 4000  # points at once: bounds the memory
Layers = dict[str, np.ndarray]


class NotViewable(AkrigError, RuntimeError):
    """A model or a field that a page does not ask: code of somebody's own, or a model that cannot be saved."""


def start_worker(parent: int) -> None:
    """First of all, in the new process: give way to the mission, leave Ctrl-C to the parent, and end with it."""
    lower_priority(LOWEST)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def predict_at(config: Path, saved: Path, X: Points) -> dict[str, Values]:
    """Of a reading at each point, by a model as it was saved; the lengthscale where it is learnt."""
    from akrig.gp.attention import attention_at

    model = load_model(config, saved, saved.stat().st_mtime_ns)
    parts = [model.predict(X[i : i + CHUNK]) for i in range(0, len(X), CHUNK)]
    said = {"mean": np.concatenate([p.mean for p in parts]), "std": np.concatenate([p.std for p in parts])}
    attention = attention_at(model, X)
    if attention is not None:
        said["lengthscale"] = attention.lengthscale
    return said


@lru_cache(maxsize=2)
def load_model(config: Path, saved: Path, changed: int) -> Any:
    import torch

    from akrig.config import read_settings
    from akrig.config.build import build_model
    from akrig.config.vehicles import box

    torch.set_num_threads(1)
    settings = without_own_code(without_own_code(read_settings(config), "kernel"), "model")
    workspace = box(settings.workspace)
    assert workspace is not None
    model = build_model(settings, workspace=workspace)
    kept = capability(model, Saved)
    if kept is None:
        raise NotViewable("The model of this run cannot be saved, and a page asks only models that are.")
    kept.load(saved)
    return model


def predict_map(config: Path, saved: Path, workspace: Box, grid: tuple[int, int]) -> Layers:
    """The same on a grid."""
    said = predict_at(config, saved, workspace.grid(*grid))
    return {name: _rows(values, grid) for name, values in said.items()}


def read_final_map(map: Path) -> Layers:
    """The map that the mission ended with."""
    import netCDF4

    from akrig.journal.hdf5_references import check_self_contained

    check_self_contained(map)
    with netCDF4.Dataset(map) as content:
        names = [name for name in ("mean", "std", "lengthscale", "truth") if name in content.variables]
        return {name: np.ma.filled(content[name][:], np.nan).astype(np.float32) for name in names}


def true_map(config: Path, workspace: Box, grid: tuple[int, int]) -> np.ndarray:
    """What a simulation knows."""
    from akrig.config import read_settings
    from akrig.config.vehicles import build_field

    settings, points = without_own_code(read_settings(config), "field"), workspace.grid(*grid)
    if settings.survey is None:
        field = build_field(settings)
        assert field is not None
        return _rows(field(points), grid)
    from akrig.survey.settings import area_of
    from akrig.survey.simulation import bed_of

    return _rows(bed_of(settings, area_of(settings.survey))(points), grid)


def without_own_code(settings: "Settings", part: str) -> "Settings":
    """Without a download; `NotViewable` if the part is code that the folder names."""
    from akrig.config.own_parts import own_code

    if part in own_code(settings.model_dump()):
        raise NotViewable(f"The {part} of this run is not akrig's own, and a page runs no code that a folder names.")
    return settings.model_copy(update={"field": settings.field.model_copy(update={"download": False})})


def _rows(values: Values, grid: tuple[int, int]) -> np.ndarray:
    return values.reshape(grid).T.astype(np.float32)
