"""Every setting of a mission, with its meaning. Lengths are in metres, times in seconds, unless said otherwise."""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from akrig.config.names import check_code, check_name, check_options
from akrig.config.section import (
    LARGEST,
    MOST,
    WIDEST,
    Corners,
    Count,
    InUnits,
    Lines,
    NotNegative,
    Number,
    PartSection,
    Positive,
    Section,
    Seed,
    Several,
    Share,
    Width,
)
from akrig.config.survey import SurveySettings
from akrig.metric_parts import EPOCH_COLUMNS, METRICS
from akrig.parts import (
    FIELDS,
    KERNELS,
    MODELS,
    PILOTS,
    SENSORS,
    STANDARD_MODEL,
    STRATEGIES,
    VEHICLES,
    PilotPart,
    StrategyPart,
    VehiclePart,
    find,
)
from akrig.types import Budget

NO_FIELD = "none"  # nobody knows the truth
MOST_POINTS = 4_000_000  # of a grid


class FrameSettings(Section):
    """The place on earth (degrees, WGS84) that is (0, 0) in local metres: x east, y north."""

    longitude: Annotated[float, Field(ge=-180, le=180)]
    latitude: Annotated[float, Field(ge=-90, le=90)]


class FieldSettings(PartSection):
    """The truth."""

    parts, what = FIELDS, "field"
    name: str = "jacksboro"  # of the catalogue (`akrig fields`), a raster file, "mylab.fields:Mine", or "none"
    seed: Seed = 0  # of a procedural terrain
    interpolation: Literal["nearest", "bilinear"] | None = None
    crop: Corners | None = None
    downsample: Count = 1
    extent: Corners | None = None  # places the raster's values there
    download: bool = False
    options: dict[str, Any] = {}

    @model_validator(mode="after")
    def _known(self) -> "FieldSettings":
        if not self.is_file:
            check_name(self.name, [*FIELDS, NO_FIELD], what="field")
        for name, corners in (("crop", self.crop), ("extent", self.extent)):
            if corners is not None and len(corners.lower) != 2:
                raise ValueError(f"{name} needs two coordinates, as rasters have; got {corners.lower}")
        check_options(self.name, self.options)
        return self

    @property
    def is_file(self) -> bool:
        return ":" not in self.name and any(mark in self.name for mark in ("/", "\\", "."))


class KernelSettings(PartSection):
    """Lengthscales are in normalised units, in which the mapped region is about two wide."""

    parts, what = KERNELS, "kernel"
    name: str = "attentive"  # or "mylab.kernels:Mine"
    amplitude: Positive = 1.0
    lengthscale: Positive = 0.5  # at first: rbf, matern, deep
    nu: float = 2.5  # matern: 0.5, 1.5 or 2.5
    hidden: Width = 10  # width of the networks' two hidden layers
    num_lengthscales: Width = 10  # attentive
    shortest: Positive = 0.01  # attentive
    longest: Positive = 0.5  # attentive
    spacing: Literal["even", "geometric"] | None = None  # attentive: from shortest to longest; even
    family: Literal["rbf", "matern12", "matern32", "matern52", "rq"] = "rbf"  # attentive
    selection: Literal["shared", "separate", "lengthscales", "instances"] = "shared"  # attentive
    num_features: Width = 10  # deep
    options: dict[str, Any] = {}

    @model_validator(mode="after")
    def _sensible(self) -> "KernelSettings":
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu is 0.5, 1.5 or 2.5; got {self.nu}")
        if self.shortest > self.longest:
            raise ValueError(f"shortest ({self.shortest}) exceeds longest ({self.longest})")
        return self


class ModelSettings(PartSection):
    parts, what, standard = MODELS, "model", STANDARD_MODEL
    name: str | None = None  # exact; combined; or "mylab.models:Mine"
    noise_variance: Positive = 1.0  # at first, in normalised units
    mean: Literal["zero", "constant"] = "zero"
    normalization: Literal["pilot", "workspace"] = "pilot"  # what points are scaled by
    local_from: Annotated[int, Field(ge=0, le=WIDEST)] = 2000  # exact, combined: with more readings, local; 0 for never
    options: dict[str, Any] | None = None


class TrainingSettings(Section):
    optimizer: Literal["adam", "lbfgs"] = "adam"
    learning_rate: Positive = 0.01
    network_learning_rate: Positive = 0.001
    steps_per_reading: Annotated[float, Field(gt=0, le=10_000)] = 1.0
    pilot_steps: Count | None = None  # as many as pilot readings
    full_steps: Positive | None = None  # per reading; what is trained longer is trained ever less


class StrategySettings(PartSection):
    parts, what = STRATEGIES, "strategy"
    name: str = "myopic"  # or "mylab.planners:Mine"
    num_candidates: Several = 1000
    information: Literal["entropy", "deviation"] | None = None  # myopic: how uncertain a reading is; entropy
    num_lines: Lines | None = None  # lawnmower; as many as the budget allows
    options: dict[str, Any] = {}

    @property
    def part(self) -> StrategyPart:
        return find(STRATEGIES, self.name)


class PilotSettings(PartSection):
    parts, what = PILOTS, "pilot survey"
    name: str = "bezier"  # or "mylab.planners:Mine"
    readings: Several = 50  # a vehicle that drives along reads at its own spacing instead
    by: Literal["vehicle", "teleport"] = "vehicle"  # the paper's readings lie exactly on the curve
    wander: NotNegative = 0.0
    num_lines: Lines = 4
    options: dict[str, Any] = {}

    @property
    def part(self) -> PilotPart:
        return find(PILOTS, self.name)


class SensorSettings(PartSection):
    parts, what = SENSORS, "sensor"
    name: str = "point"  # or "mylab.sensors:Mine"
    noise_std: InUnits = 1.0
    relative_noise: NotNegative = 0.0  # more noise, as a share of the value
    outlier_rate: Share = 0.0
    outlier_std: InUnits = 0.0
    dropout_rate: Share = 0.0
    options: dict[str, Any] = {}

    @model_validator(mode="after")
    def _sensible(self) -> "SensorSettings":
        if self.outlier_rate and not self.outlier_std:
            raise ValueError("outlier_rate needs outlier_std, how far off outliers are")
        return self


class VehicleSettings(PartSection):
    parts, what = VEHICLES, "vehicle"
    name: str | None = None  # teleport for random and active, simulated for others; or "mylab.boats:Mine"
    speed: Positive = 1.0
    spacing: Positive | None = None  # metres between readings at full speed; a twentieth of the workspace
    heading: Number = 0.0  # radians, at the beginning
    seconds_per_leg: Positive | None = None
    log: str | None = None  # replay: a run folder or a CSV file
    options: dict[str, Any] = {}

    @model_validator(mode="after")
    def _sensible(self) -> "VehicleSettings":
        if self.part.replays and self.log is None:
            raise ValueError("a replay needs vehicle.log, a run folder or a CSV file; or use `akrig replay`")
        return self

    @property
    def part(self) -> VehiclePart:
        return find(VEHICLES, self.name or "")


class BudgetSettings(Section):
    readings: Annotated[int, Field(ge=1, le=int(LARGEST))] | None = None
    distance: Positive | None = None
    time: Positive | None = None

    @property
    def budget(self) -> Budget:
        return Budget(*(math.inf if given is None else given for given in (self.readings, self.distance, self.time)))


def by_name(value: Any) -> Any:
    """`kernel = "rbf"` is short for `kernel.name = "rbf"`."""
    return {"name": value} if isinstance(value, str) else value


class MetricSettings(Section):
    """A score of the user's own; what is not said of it follows from its name."""

    name: str  # "mylab.metrics:sharpness" is the column sharpness
    label: str = ""
    sentence: str = ""  # what it means
    goal: Literal["low", "high"] | Number | None = None  # what is best
    unit: str = ""  # "field" if that of what is mapped, "%" for a share

    @model_validator(mode="after")
    def _known(self) -> "MetricSettings":
        check_code(self.name)
        if self.name.partition(":")[2] in (*METRICS, *EPOCH_COLUMNS):
            raise ValueError(f"{self.name!r} would be a second column of that name; call the function something else")
        return self


class ScoringSettings(Section):
    every: Count = 1  # readings, at least, between scores
    grid: Annotated[list[Several], Field(min_length=1, max_length=3)] = [50, 50]
    map_grid: Annotated[list[Several], Field(min_length=1, max_length=3)] = [100, 100]
    snapshots: Annotated[int, Field(ge=0, le=MOST)] = 60  # maps kept for the animation
    metrics: list[Annotated[MetricSettings, BeforeValidator(by_name)]] | None = None  # your own, beside akrig's

    @model_validator(mode="after")
    def _affordable(self) -> "ScoringSettings":
        for name, counts in (("grid", self.grid), ("map_grid", self.map_grid)):
            if math.prod(counts) > MOST_POINTS:
                raise ValueError(f"{name} {counts} has more than {MOST_POINTS} points")
        columns = [metric.name.partition(":")[2] for metric in self.metrics or []]
        if len(set(columns)) < len(columns):
            raise ValueError(f"metrics: two functions have the same name; got {', '.join(columns)}")
        return self


def _readings(value: Any) -> Any:
    """`budget = 700` is short for `budget.readings = 700`."""
    return {"readings": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Settings(Section):
    """One mission."""

    preset: Literal["default", "paper"] = "default"
    seed: Seed = 0
    field: Annotated[FieldSettings, BeforeValidator(by_name)] = FieldSettings()
    workspace: Corners | None = None  # the field's extent, less a margin
    kernel: Annotated[KernelSettings, BeforeValidator(by_name)] = KernelSettings()
    strategy: Annotated[StrategySettings, BeforeValidator(by_name)] = StrategySettings()
    budget: Annotated[BudgetSettings, BeforeValidator(_readings)] = BudgetSettings(readings=700)
    pilot: Annotated[PilotSettings, BeforeValidator(by_name)] = PilotSettings()
    sensor: Annotated[SensorSettings, BeforeValidator(by_name)] = SensorSettings()
    vehicle: Annotated[VehicleSettings, BeforeValidator(by_name)] = VehicleSettings()
    model: Annotated[ModelSettings, BeforeValidator(by_name)] = ModelSettings()
    training: TrainingSettings = TrainingSettings()
    scoring: ScoringSettings = ScoringSettings()
    frame: FrameSettings | None = None  # ties local metres to the earth
    survey: SurveySettings | None = None  # with a boat

    @model_validator(mode="after")
    def _sensible(self) -> "Settings":
        if self.budget == BudgetSettings():
            raise ValueError("budget: give readings, distance or time")
        if self.vehicle.part.on_water and self.survey is None:
            raise ValueError("vehicle: a boat on MAVLink needs an area; use `akrig survey`")
        if self.strategy.part.needs_pilot and not self.pilot.part.goes_first:
            raise ValueError(f"pilot: strategy {self.strategy.name} cannot begin by itself; name a pilot survey")
        is_replay = self.vehicle.part.replays and self.workspace is not None
        if self.field.name == NO_FIELD and self.survey is None and not is_replay:
            raise ValueError("field: only a replay, with a workspace, needs no field")
        return self

    @property
    def surveyed(self) -> SurveySettings:
        """Those of a survey, where it is known to be one."""
        assert self.survey is not None
        return self.survey
