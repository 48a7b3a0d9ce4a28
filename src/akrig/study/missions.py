"""Runs of the kind "mission": a whole mission with a simulated robot."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.config import load_settings, resolve
from akrig.journal.record import Record, read_record
from akrig.runs import create_run, run_mission

NEVER = float("inf")
NOT_SCORES = ("epoch", "samples")


def check_mission(settings: dict[str, Any]) -> None:
    """Raises what is wrong with the settings, before anything runs."""
    resolve(load_settings(None, settings))


def compute_mission(settings: dict[str, Any], path: Path) -> xr.Dataset:
    """Carries out the mission in an empty folder, which becomes a run folder like any other."""
    path.rmdir()
    folder = create_run(load_settings(None, settings), path)
    run_mission(folder, checkpoint_every=NEVER)  # a study's run that breaks off is begun anew, never resumed
    shutil.rmtree(folder.checkpoints, ignore_errors=True)
    record = read_record(folder.path)
    scores = record.scores
    layers: dict[str, Any] = {name: ("samples", values) for name, values in scores.items() if name not in NOT_SCORES}
    layers["reading_x"] = (("reading", "dim"), record.samples.X)
    layers["reading_y"] = ("reading", record.samples.y)
    data = xr.Dataset(layers, coords={"samples": scores["samples"].astype(np.int64)}, attrs=_attributes(record))
    if record.map is None or record.workspace.dim != 2:
        return data
    maps = {name: record.map[name].astype(np.float32) for name in ("mean", "std", "truth") if name in record.map}
    return data.assign(maps)


def _attributes(record: Record) -> dict[str, Any]:
    seconds = {f"seconds_{name}": float(values.sum()) for name, values in record.timings.items() if name != "epoch"}
    return {
        **seconds,
        "distance": float(record.epochs[-1].used.distance),
        "readings": len(record.samples),
        "epochs": len(record.epochs),
        "quantity": record.quantity,
        "units": record.units,
    }
