"""Runs of the kind "mission": a whole mission with a simulated robot."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig import __version__
from akrig.config import build_mission, load_settings, read_settings, resolve
from akrig.journal.events import Event, Journal, read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import Record, read_record
from akrig.runs import Watcher, create_run
from akrig.runs.checkpoints import Checkpoints
from akrig.runs.run import Run
from akrig.vehicles import Journaled

NEVER = float("inf")
NOT_SCORES = ("epoch", "samples")


class LateJournal(Journal):
    """On disk when the mission is over: a study's run that breaks off is begun anew, never resumed.

    Putting each of 650 epochs on disk as it ends took a tenth of a run's time.
    """

    def settle(self, event: Event) -> None:
        self._append(event)


def check(settings: dict[str, Any]) -> None:
    """Raises what is wrong with the settings, before anything runs."""
    resolve(load_settings(None, settings))


def run(settings: dict[str, Any], path: Path) -> xr.Dataset:
    """Carries out the mission in an empty folder, which becomes a run folder like any other."""
    path.rmdir()
    folder = create_run(load_settings(None, settings), path)
    _carry_out(folder)
    shutil.rmtree(folder.checkpoints, ignore_errors=True)
    return _dataset(folder)


def _carry_out(folder: RunFolder) -> None:
    """As `akrig.runs.carry_out`, for a mission that nobody resumes."""
    settings = read_settings(folder.config)
    content = read_journal(folder.journal)
    journal = LateJournal(folder.journal, content=content)
    try:
        journal.begin(__version__)
        parts = build_mission(settings, wrap=lambda vehicle: Journaled(vehicle, journal))
        checkpoints = Checkpoints(folder, parts.model, every=NEVER)
        Run(folder, settings, parts, journal, checkpoints, Watcher()).carry_out(content)
        journal.commit()
    finally:
        journal.close()


def _dataset(folder: RunFolder) -> xr.Dataset:
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
