"""What does not change about a run: its name, place, units and limits, in local metres."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from akrig.colours import DOUBTS, LENGTHS, value_colours
from akrig.errors import RunFolderError
from akrig.files import content_of, read_toml
from akrig.geometry import Box
from akrig.journal.folder import RunFolder
from akrig.journal.record import field_called
from akrig.metric_parts import METRICS, MetricPart, own_metrics
from akrig.parts import KERNELS, MODELS, STANDARD_MODEL, STRATEGIES, find, label_of
from akrig.s44 import BY_NAME, EDITION, ENOUGH_OF_IT, NO_CERTIFICATE, ORDERS, USUAL_ORDER

FARTHEST = 1e7  # metres: from the equator to a pole
MOST_METRICS = 20
MOST_POINTS = 40_000  # of a map that the page draws


@dataclass(frozen=True)
class RunInfo:
    """Args:
    settings: the run's config.toml, as it reads.
    grid: points east and north of a map as fine as the page draws it.
    origin: longitude and latitude of (0, 0), degrees, if the run is tied to the earth.
    """

    settings: dict[str, Any]
    workspace: Box
    grid: tuple[int, int]
    origin: tuple[float, float] | None

    @property
    def is_survey(self) -> bool:
        return "survey" in self.settings

    @property
    def knows_truth(self) -> bool:
        """A simulation's; what a user's own module says is not asked here, because viewing runs no code of others."""
        if self.is_survey:
            return bool(self.settings["survey"].get("simulated"))
        name = self.settings["field"]["name"]
        return name != "none" and ":" not in name

    @property
    def can_predict(self) -> bool:
        return not any(":" in (self._name(part) or "") for part in ("kernel", "model"))

    def _name(self, part: str) -> str | None:
        """In settings; the model of old runs has none."""
        return self.settings.get(part, {}).get("name")

    @property
    def metrics(self) -> list[MetricPart]:
        """What the page draws over the readings: how wrong the map is, how unsure, and the user's own scores."""
        own = [metric for name, metric in own_metrics(self.settings).items() if name.isidentifier() and len(name) > 1]
        return [METRICS["rmse"], METRICS["uncertainty"], METRICS["foretold"], *own[:MOST_METRICS]]

    @property
    def budget(self) -> dict[str, float | None]:
        return {name: self.settings["budget"].get(name) for name in ("readings", "distance", "time")}

    def to_metres(self, lonlat: list[list[float]]) -> list[list[float]]:
        return np.round(self._frame().to_metres(np.array(lonlat, dtype=float)), 3).tolist()

    def to_degrees(self, x: float, y: float) -> tuple[float, float] | None:
        """Longitude, latitude; `None` for places that are not on the earth, or of a run that is not."""
        if self.origin is None or not max(abs(x), abs(y)) < FARTHEST:
            return None
        longitude, latitude = self._frame().degrees_of(x, y)
        return (longitude, latitude) if math.isfinite(longitude + latitude) else None

    def _frame(self):
        from akrig.frame import LocalFrame

        assert self.origin is not None
        return LocalFrame(*self.origin)

    def for_page(self, folder: RunFolder) -> dict[str, Any]:
        about, kernel = self.settings.get("about", {}), find(KERNELS, self.settings["kernel"]["name"])
        values = value_colours(about.get("quantity") or "value")
        shown: dict[str, Any] = {
            "run": folder.path.resolve().name,
            "quantity": about.get("quantity") or "value",
            "units": about.get("units", ""),
            "colours": {"mean": values, "truth": values, "std": DOUBTS, "error": DOUBTS, "lengthscale": LENGTHS},
            "kernel": kernel.label,
            "model": find(MODELS, self._name("model") or STANDARD_MODEL).label,
            "strategy": find(STRATEGIES, self.settings["strategy"]["name"]).label,
            **{part: label_of(self._name(part) or "") for part in ("pilot", "sensor", "vehicle")},
            "seed": self.settings["seed"],
            "field": field_called(self.settings),
            "lower": list(self.workspace.lower),
            "upper": list(self.workspace.upper),
            "budget": self.budget,
            "simulated": self.knows_truth,
            "hasLengthscale": kernel.explains and ":" not in (self._name("model") or ""),
            "charts": [self._chart(m) for m in self.metrics if m.has_curve and (self.knows_truth or m.name != "rmse")],
            "onEarth": self.origin is not None,
            "survey": self._survey() if self.is_survey else None,
        }
        return shown

    def _chart(self, metric: MetricPart) -> dict[str, str]:
        units = self.settings.get("about", {}).get("units", "") if metric.has_units else metric.unit
        return {"column": metric.name, "title": metric.label, "units": units}

    def _survey(self) -> dict[str, Any]:
        survey = self.settings["survey"]
        area, safety, target = survey["area"], survey.get("safety", {}), survey.get("target", {})
        home = area.get("home")
        return {
            "name": area.get("name", ""),
            "fence": self.to_metres(area["fence"]),
            "keepOuts": [self.to_metres(ring) for ring in area.get("keep_outs", [])],
            "home": None if home is None else self.to_metres([home])[0],
            "target": target.get("uncertainty"),
            "standard": _standard(target, survey.get("depth", {})),
            "battery": safety.get("battery", 0.2),
            "linkTimeout": survey.get("link", {}).get("timeout", 5.0),
            "maxHdop": survey.get("depth", {}).get("max_hdop", 3.0),
            "silence": safety.get("silence", 60.0),
            "goalRadius": safety.get("goal_radius", 2.0),
        }


def _standard(target: dict[str, Any], depth: dict[str, Any]) -> dict[str, Any]:
    """Orders of survey, how the page judges maps by them, and which one is aimed at."""
    aim = BY_NAME.get(target.get("order", ""))
    return {
        "edition": EDITION,
        "orders": [{"name": each.name, "label": each.label, "a": each.a, "b": each.b} for each in ORDERS],
        "order": (aim or BY_NAME[USUAL_ORDER]).name,
        "share": None if aim is None else target.get("share", ENOUGH_OF_IT),
        "shared": {"metres": depth.get("shared_error", 0.0), "share": depth.get("shared_error_share", 0.0)},
        "isNot": NO_CERTIFICATE,
    }


def read_run_info(folder: RunFolder) -> RunInfo:
    """`RunFolderError` with one sentence for a folder that is not akrig's, or is damaged."""
    try:
        settings = read_toml(folder.config)
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{folder.config} cannot be read ({error}); name the folder of a run.") from error
    try:
        corners, counts = settings["workspace"], settings["scoring"]["map_grid"]
        workspace = Box(tuple(corners["lower"]), tuple(corners["upper"]))
        grid = _bounded(counts) if workspace.dim == 2 else (2, 2)
        frame = settings.get("frame")
        origin = None if frame is None else (float(frame["longitude"]), float(frame["latitude"]))
        for section in ("field", "kernel", "strategy"):
            settings[section]["name"].lower()
        _ = settings["budget"]["readings" if "readings" in settings["budget"] else next(iter(settings["budget"]))]
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration) as error:
        raise RunFolderError(
            f"{folder.config} is not the config of a run of akrig ({error!r} is wrong or missing); "
            "name the folder of a run, as given with --out."
        ) from error
    if workspace.dim != 2:
        raise RunFolderError(
            f"The page draws maps of two dimensions, and {folder.path} has {workspace.dim}; "
            f"see `akrig report {folder.path}`."
        )
    info = RunInfo(settings, workspace, grid, origin)
    with content_of(folder.config, advice="name the folder of a run, as given with --out", error=RunFolderError):
        info.for_page(folder)
    return info


def _bounded(counts: list[int]) -> tuple[int, int]:
    shrink = max(1.0, (counts[0] * counts[1] / MOST_POINTS) ** 0.5)
    return max(2, int(counts[0] / shrink)), max(2, int(counts[1] / shrink))
