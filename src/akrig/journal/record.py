"""A run folder as it reads: for plots, reports, replay and resuming. Nothing here writes."""

import tomllib
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import xarray as xr

from akrig.errors import RunFolderError
from akrig.geometry import Box, Pose
from akrig.journal.events import Event, read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.tables import read_columns
from akrig.types import Budget, Epoch, Measurement, Plan, Samples

# What reading a file raises that was cut off, emptied or overwritten.
_DAMAGED = (OSError, EOFError, ValueError, KeyError, RuntimeError, BadZipFile, zlib.error)


@dataclass(frozen=True, eq=False)
class RecordedEpoch:
    """A finished epoch."""

    index: int
    plan: Plan
    measurements: list[Measurement]
    loss: float
    pose: Pose
    used: Budget
    vehicle: dict[str, Any]

    @property
    def epoch(self) -> Epoch:
        samples = Samples.of(self.measurements, dim=self.plan.waypoints.shape[1])
        return Epoch(self.index, self.plan, samples, self.loss, {}, self.pose, self.used)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The map after so many readings, (rows, columns) over the workspace, row 0 south."""

    readings: int
    mean: np.ndarray
    std: np.ndarray


@dataclass(frozen=True, eq=False)
class Record:
    """What a run folder tells."""

    path: Path
    settings: dict[str, Any]
    quantity: str
    units: str
    workspace: Box
    epochs: list[RecordedEpoch]
    scores: dict[str, np.ndarray]
    timings: dict[str, np.ndarray]
    snapshots: list[Snapshot]
    map: xr.Dataset | None
    ended: str | None
    torn: int
    notices: list[Event] = field(default_factory=list)  # of a survey: what happened, and what was done about it
    soundings: Counter[str] = field(default_factory=Counter)  # of a survey: accepted, and refused by reason

    @property
    def field_name(self) -> str:
        survey = self.settings.get("survey")
        return self.settings["field"]["name"] if survey is None else survey["area"].get("name") or "survey"

    @property
    def kernel_name(self) -> str:
        return self.settings["kernel"]["name"]

    @property
    def strategy_name(self) -> str:
        return self.settings["strategy"]["name"]

    @property
    def seed(self) -> int:
        return self.settings["seed"]

    @property
    def title(self) -> str:
        return f"{self.kernel_name}, {self.strategy_name}, seed {self.seed}"

    @cached_property
    def samples(self) -> Samples:
        """All readings of finished epochs."""
        measurements = [measurement for epoch in self.epochs for measurement in epoch.measurements]
        return Samples.of(measurements, dim=self.workspace.dim)


def epoch_event(epoch: Epoch, vehicle: dict[str, Any]) -> Event:
    """How the end of an epoch is written down."""
    return {
        "event": "epoch",
        "index": epoch.index,
        "loss": epoch.loss if epoch.loss == epoch.loss else None,
        "position": list(epoch.pose.position),
        "heading": epoch.pose.heading,
        "readings": epoch.used.readings,
        "distance": epoch.used.distance,
        "time": epoch.used.time,
        "vehicle": vehicle,
    }


def recorded_epochs(events: list[Event]) -> list[RecordedEpoch]:
    """The finished ones; a leg that was broken off and repeated counts once."""
    epochs: list[RecordedEpoch] = []
    plan, leg = None, []
    for event in events:
        if event["event"] == "plan":
            plan, leg = Plan(np.array(event["waypoints"])), []
        elif event["event"] == "measurement":
            leg.append(_measurement(event))
        elif event["event"] == "epoch":
            assert plan is not None
            loss = float("nan") if event["loss"] is None else event["loss"]
            pose = Pose(tuple(event["position"]), event["heading"])
            used = Budget(event["readings"], event["distance"], event["time"])
            epochs.append(RecordedEpoch(event["index"], plan, leg, loss, pose, used, event["vehicle"]))
    return epochs


def unfinished_leg(events: list[Event]) -> tuple[Plan | None, list[Measurement]]:
    """What was planned and read since the last finished epoch."""
    ends = [i for i, event in enumerate(events) if event["event"] == "epoch"]
    plan, leg = None, []
    for event in events[ends[-1] + 1 if ends else 0 :]:
        if event["event"] == "plan":
            plan = Plan(np.array(event["waypoints"]))
        elif event["event"] == "measurement":
            leg.append(_measurement(event))
    return plan, leg


def _measurement(event: Event) -> Measurement:
    return Measurement(event["time"], tuple(event["position"]), event["value"])


def read_record(path: Path) -> Record:
    """Of a run that has ended, or is still going on."""
    folder = RunFolder.open(path)
    settings = tomllib.loads(folder.config.read_text())
    content = read_journal(folder.journal)
    ends = [event["reason"] for event in content.events if event["event"] == "end"]
    corners = settings["workspace"]
    return Record(
        path=path,
        settings=settings,
        quantity=settings["about"].get("quantity", ""),
        units=settings["about"].get("units", ""),
        workspace=Box(tuple(corners["lower"]), tuple(corners["upper"])),
        epochs=recorded_epochs(content.events),
        scores=read_columns(folder.scores),
        timings=read_columns(folder.timings),
        snapshots=_read_snapshots(folder),
        map=_read_map(folder),
        ended=ends[-1] if ends else None,
        torn=content.torn,
        notices=[event for event in content.events if event["event"] in ("notice", "command", "fault")],
        soundings=_count_soundings(content.events),
    )


def _count_soundings(events: list[Event]) -> Counter[str]:
    """Reasons without the numbers in them."""
    refused = Counter(event["reason"].split(" (")[0] for event in events if event["event"] == "rejected")
    accepted = sum(event["event"] == "sounding" for event in events)
    return Counter({"accepted": accepted, **refused}) if accepted or refused else Counter()


def _read_snapshots(folder: RunFolder) -> list[Snapshot]:
    """Those that can be read: they are for looking only, and a film with a frame less is still a film."""
    snapshots = []
    for readings, file in folder.list_snapshots():
        with suppress(*_DAMAGED):
            snapshots.append(_read_snapshot(readings, file))
    return snapshots


def _read_snapshot(readings: int, file: Path) -> Snapshot:
    with file.open("rb") as opened, np.load(opened) as arrays:  # numpy leaves a bad file open
        return Snapshot(readings, arrays["mean"], arrays["std"])


def _read_map(folder: RunFolder) -> xr.Dataset | None:
    if not folder.map.exists():
        return None
    try:
        return xr.load_dataset(folder.map, engine="netcdf4")
    except _DAMAGED as error:
        raise RunFolderError(
            f"{folder.map} cannot be read; `akrig resume {folder.path}` writes it anew, or delete it to do without."
        ) from error
