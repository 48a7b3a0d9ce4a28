"""A run folder as it reads: for plots, reports, replay and resuming. Nothing here writes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.errors import BrokenJournal, RunFolderError
from akrig.files import content_of, read_toml
from akrig.geometry import Box, Pose
from akrig.journal.events import Event, read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.plans import plan_of
from akrig.journal.surfaces import Snapshot, read_map, read_snapshots
from akrig.journal.tables import read_columns
from akrig.metric_parts import EPOCH_COLUMNS, MetricPart, metrics_of
from akrig.parts import KERNELS, MODELS, STRATEGIES, USUAL_MODEL, find, label_of
from akrig.types import Budget, Epoch, Measurement, Plan, Samples

NAMED = ("vehicle", "model", "pilot", "sensor")  # parts that not every record names


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
    under_way: Plan | None = None  # of the leg that is driven now, or that was broken off

    @property
    def field_name(self) -> str:
        return field_called(self.settings)

    @property
    def field_source(self) -> str:
        """What tells fields apart: two files may have one name."""
        survey = self.settings.get("survey")
        return self.settings["field"]["name"] if survey is None else self.field_name

    @property
    def kernel_name(self) -> str:
        return self.settings["kernel"]["name"]

    def own_label(self, part: str) -> str:
        """What the user's own vehicle, sensor, ... is called; nothing if the part is akrig's."""
        name = self.settings.get(part, {}).get("name") or ""
        return label_of(name) if ":" in name else ""

    @property
    def model_name(self) -> str | None:
        """`None` if it is the usual one."""
        name = self.settings.get("model", {}).get("name")
        return None if name == USUAL_MODEL else name

    @property
    def seed(self) -> int:
        return self.settings["seed"]

    @property
    def title(self) -> str:
        model = [] if self.model_name is None else [find(MODELS, self.model_name).label]
        kernel, strategy = find(KERNELS, self.kernel_name), find(STRATEGIES, self.settings["strategy"]["name"])
        return ", ".join([*model, kernel.label, strategy.label, f"seed {self.seed}"])

    @property
    def is_all_pilot(self) -> bool:
        """Whether the mission ended before its strategy had planned anything; a survey's last leg leads home."""
        planned = [epoch for epoch in self.epochs if epoch.index > 0]
        return self.ended is not None and bool(self.epochs) and len(planned) <= ("survey" in self.settings)

    @property
    def metrics(self) -> list[MetricPart]:
        """What its scores are, in the order of reading."""
        return metrics_of([name for name in self.scores if name not in EPOCH_COLUMNS], self.settings)

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
            plan, leg = plan_of(event), []
        elif event["event"] == "measurement":
            leg.append(_measurement(event))
        elif event["event"] == "epoch":
            if plan is None or event["index"] != len(epochs):
                raise BrokenJournal(
                    f"The journal has an epoch {event['index']} without its plan or out of turn; restore a copy."
                )
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
            plan = plan_of(event)
        elif event["event"] == "measurement":
            leg.append(_measurement(event))
    return plan, leg


def _measurement(event: Event) -> Measurement:
    return Measurement(event["time"], tuple(event["position"]), event["value"])


def read_record(path: Path) -> Record:
    """Of a run that has ended, or is still going on."""
    folder = RunFolder.open(path)
    settings = read_toml(folder.config)
    workspace = _checked(folder, settings)
    content = read_journal(folder.journal)
    ends = [event["reason"] for event in content.events if event["event"] == "end"]
    epochs = recorded_epochs(content.events)
    if epochs and len(epochs[0].pose.position) != workspace.dim:
        raise RunFolderError(f"{path} has readings of another dimension than its workspace; was it put together?")
    about = settings.get("about", {})
    return Record(
        path=path,
        settings=settings,
        quantity=" ".join(about.get("quantity", "").split()),  # on one line: they stand beside axes
        units=" ".join(about.get("units", "").split()),
        workspace=workspace,
        epochs=epochs,
        scores=read_columns(folder.scores),
        timings=read_columns(folder.timings),
        snapshots=read_snapshots(folder),
        map=read_map(folder, dim=workspace.dim),
        ended=ends[-1] if ends else None,
        torn=content.torn,
        notices=[event for event in content.events if event["event"] in ("notice", "command", "fault")],
        soundings=_count_soundings(content.events),
        under_way=unfinished_leg(content.events)[0],
    )


def _checked(folder: RunFolder, settings: dict[str, Any]) -> Box:
    """The workspace; of the settings, what a record shows is what it should be."""
    with content_of(folder.config, advice="name the folder of a run, as given with --out", error=RunFolderError):
        for part in ("about", *NAMED):
            if not isinstance(settings.get(part, {}), dict):
                raise ValueError(f"{part} is not a section")
        texts = {f"{part}.name": settings[part]["name"] for part in ("field", "kernel", "strategy")}
        texts |= {f"{part}.name": settings.get(part, {}).get("name") or "" for part in NAMED}
        texts |= {name: settings.get("about", {}).get(name, "") for name in ("quantity", "units")}
        if "survey" in settings:
            texts["survey.area.name"] = settings["survey"]["area"].get("name", "")
        for name, text in texts.items():
            if not isinstance(text, str):
                raise ValueError(f"{name} is not text")
        if not isinstance(settings["seed"], int):
            raise ValueError("seed is not a number")
        corners = settings["workspace"]
        return Box(tuple(corners["lower"]), tuple(corners["upper"]))


def _count_soundings(events: list[Event]) -> Counter[str]:
    """Reasons without the numbers in them."""
    refused = Counter(event["reason"].split(" (")[0] for event in events if event["event"] == "rejected")
    accepted = sum(event["event"] == "sounding" for event in events)
    return Counter({"accepted": accepted, **refused}) if accepted or refused else Counter()


def field_called(settings: Mapping[str, Any]) -> str:
    """As people call it: files by their names, a replay without a field by the log that it replays."""
    survey, name = settings.get("survey"), settings["field"]["name"]
    if survey is not None:
        return survey["area"].get("name") or "survey"
    sections = [settings.get(section) for section in ("about", "vehicle")]
    log = next((found["log"] for found in sections if isinstance(found, Mapping) and found.get("log")), None)
    if name == "none" and isinstance(log, str):
        return Path(log).name
    return Path(name).name if ":" not in name else label_of(name)
