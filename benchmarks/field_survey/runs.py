"""One survey, adaptive or along a lawnmower's lines, with the paper's boat in process; and the maps made of it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from akrig.config import Settings
from akrig.config.build import build_model
from akrig.config.vehicles import box
from akrig.files import written_beside
from akrig.geometry import Pose
from akrig.gp import CombinedRegression, GPRegression
from akrig.metrics import Scoring
from akrig.parts import STRATEGIES
from akrig.randomness import Randomness
from akrig.survey.area import Area
from akrig.survey.build import DepthInArea, Planning, build_planning
from akrig.survey.strategies import AreaLawnmower
from akrig.types import Epoch, Plan, Samples, Situation
from akrig.vehicles import PointSensor, SimulatedVehicle
from benchmarks.field_survey.worlds import WORLDS, World

MARGIN, SPEED, NOISE = 5.0, 1.5, 0.05  # metres, metres per second, metres
GOAL_RADIUS = 1.0
CELLS = 60  # of the grid that is scored, along the longer side, as in a survey
NAMED = frozenset(STRATEGIES) - {"lawnmower"}  # paths that are a strategy; a lawnmower is laid out beforehand here
FOREVER = 1e6  # seconds that the planner may take: a busy computer must not change a result

Row = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """What can be chosen about an adaptive survey and the models that map it.

    Args:
        pilot_lines: or fewer, but one at least, if `pilot_share` of the distance does not allow so many; with 0 there
            is no pilot pass.
        noise_variance: that training begins with, in normalised units.
        reserve: times the way home that must be left; a lawnmower that was laid out beforehand needs none.
        route: options of the strategy, for paths that are named after one.
    """

    pilot_lines: int = 2
    pilot_share: float = 0.8
    shortest: float = 0.02
    longest: float = 2.0
    lengthscales: str = "geometric"
    family: str = "matern52"
    model: str = "combined"
    normalization: str = "workspace"
    mean: str = "zero"
    noise_variance: float = 0.1
    learning_rate: float = 0.02
    network_learning_rate: float = 0.002
    steps_per_reading: float = 1.0
    full_steps: float | None = 1.0
    spacing: float = 2.0
    candidates: int = 1000
    information: str = "deviation"
    route: dict[str, Any] = field(default_factory=dict)
    reserve: float = 1.2


@dataclass(frozen=True)
class Task:
    """One survey: where, about how far, and by which path."""

    world: str
    nominal: float
    seed: int
    path: str
    choice: Choice = Choice()

    @property
    def name(self) -> str:
        key = sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:10]
        return f"{self.world.replace(' ', '-')}-{self.nominal:.0f}-{self.path}-{self.seed}-{key}"


def carry_out(task: Task, folder: Path, *, kernels: Sequence[str] = ()) -> list[Row]:
    """The rows of a survey, one per map; what was done before is read. Readings and maps lie beside them.

    Args:
        kernels: of more maps, trained when all readings are there; the first, `online`, is the model that planned.
    """
    file = folder / f"{task.name}.json"
    if file.exists():
        rows, arrays = json.loads(file.read_text()), dict(np.load(file.with_suffix(".npz")))
    else:
        rows, arrays = survey(task)
        _keep(file, rows, arrays)
    missing = [kernel for kernel in kernels if kernel not in {row["map"] for row in rows}]
    for kernel in missing:
        row, more = _mapped_again(task, rows[0], arrays, kernel=kernel)
        rows, arrays = [*rows, row], arrays | more
        _keep(file, rows, arrays)
    return rows


def _keep(file: Path, rows: list[Row], arrays: dict[str, np.ndarray]) -> None:
    """The rows last: where they are, all is there."""
    with written_beside(file.with_suffix(".npz")) as beside, beside.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
    with written_beside(file) as beside:
        beside.write_text(json.dumps(rows, indent=1))


def lawnmower_for(area: Area, nominal: float) -> tuple[int, float]:
    """How many lines come nearest to a distance, and how long that survey is with the ways there and home."""
    most = AreaLawnmower.for_distance(nominal, area, margin=MARGIN, begin=area.home).num_lines
    lengths = {num_lines: _length(area, num_lines) for num_lines in (most, most + 1)}
    best = min(lengths, key=lambda num_lines: abs(lengths[num_lines] - nominal))
    return best, lengths[best]


def pilot_lines(area: Area, metres: float) -> int:
    """As many as so many metres allow, with the ways there and home; one at least."""
    count = 1
    while _length(area, count + 1) <= metres:
        count += 1
    return count


def survey(
    task: Task, worlds: Mapping[str, Callable[[int], World]] = WORLDS
) -> tuple[list[Row], dict[str, np.ndarray]]:
    """The row of the map that the survey ended with, and the arrays to draw it."""
    world = worlds[task.world](task.seed)
    area = world.area
    lines, metres = lawnmower_for(area, task.nominal)
    if task.path != "lawnmower":
        lines = min(task.choice.pilot_lines, pilot_lines(area, task.choice.pilot_share * metres))
    settings = survey_settings(task, area, metres=metres, lines=lines)
    boat = _boat(task, world)
    planning = build_planning(
        settings, area, _home(area), vehicle=boat, truth=DepthInArea(world.bed, area), tell=_must_not_happen
    )
    begin = time.process_time()
    epochs = list(_epochs(planning, area, adaptive=task.path != "lawnmower"))
    planning.worker.close()
    about = {
        **asdict(task),
        "lines": lines,
        "budget": metres,
        "metres": epochs[-1].used.distance,
        "legs": len(epochs),
        "outside": _outside(area, epochs),
        "seconds": time.process_time() - begin,
        "planning": [epoch.seconds["plan"] for epoch in epochs if "plan" in epoch.seconds],
    }
    model, scoring = planning.parts.model, planning.parts.scoring
    assert scoring.truth is not None
    row, maps = _scored(model, scoring, name="online")
    legs = np.array([len(epoch.samples) for epoch in epochs])
    known = {"X": model.samples.X, "y": model.samples.y, "points": scoring.points, "truth": scoring.truth, "legs": legs}
    return [about | row], known | maps


def _mapped_again(
    task: Task, first: Row, arrays: dict[str, np.ndarray], *, kernel: str
) -> tuple[Row, dict[str, np.ndarray]]:
    """Another map of the readings of a survey; `first` is the row of its own."""
    world = WORLDS[task.world](task.seed)
    settings = survey_settings(task, world.area, metres=first["budget"], lines=first["lines"])
    model = mapped(Samples(arrays["X"], arrays["y"]), settings, kernel=kernel)
    truth = DepthInArea(world.bed, world.area)
    scoring = Scoring(world.area.extent, tuple(settings.scoring.grid), truth, inside=world.area.allows)
    row, maps = _scored(model, scoring, name=kernel)
    return first | row, maps


def _scored(
    model: GPRegression | CombinedRegression, scoring: Scoring, *, name: str
) -> tuple[Row, dict[str, np.ndarray]]:
    prediction, samples = model.predict(scoring.points), model.samples
    about = {"map": name, "readings": len(samples), "noise_std": model.noise_variance**0.5}
    return about | scoring.score(prediction, samples), {f"mean_{name}": prediction.mean, f"std_{name}": prediction.std}


def mapped(samples: Samples, settings: Settings, *, kernel: str) -> GPRegression | CombinedRegression:
    """A model that saw nothing while the survey ran, and is trained for as many steps as one that did."""
    workspace = box(settings.workspace)
    assert workspace is not None
    other = settings.model_copy(update={"kernel": settings.kernel.model_copy(update={"name": kernel})})
    model = build_model(other, workspace=workspace)
    model.observe(samples)
    model.fit(max(1, round(settings.training.steps_per_reading * len(samples))))
    return model


def _epochs(planning: Planning, area: Area, *, adaptive: bool) -> Iterator[Epoch]:
    """As a survey goes, with the way home; a lawnmower is a pilot pass with nothing after it."""
    mission = planning.parts.mission
    for epoch in mission.epochs():
        yield epoch
        situation = Situation(
            mission.vehicle.pose, mission.workspace, mission.remaining, mission.index, mission.is_open
        )
        spent = mission.remaining.is_spent
        if not adaptive or spent or not planning.affordable.is_anywhere(situation, default_rng(mission.index)):
            break
    way = area.route(mission.vehicle.pose.position, _home(area), margin=MARGIN)
    assert way is not None
    yield mission.travel(Plan(way))


def survey_settings(task: Task, area: Area, *, metres: float, lines: int) -> Settings:
    choice, extent = task.choice, area.extent
    settings = Settings.model_validate(
        {
            "seed": task.seed,
            "field": "none",
            "workspace": {"lower": list(extent.lower), "upper": list(extent.upper)},
            "kernel": {
                "shortest": choice.shortest,
                "longest": choice.longest,
                "spacing": choice.lengthscales,
                "family": choice.family,
            },
            "strategy": {"name": task.path, "options": choice.route}
            if task.path in NAMED
            else {"num_candidates": choice.candidates, "information": choice.information},
            "budget": {"distance": metres},
            "vehicle": {"speed": SPEED, "spacing": choice.spacing},
            "model": {
                "name": choice.model,
                "mean": choice.mean,
                "normalization": choice.normalization,
                "noise_variance": choice.noise_variance,
            },
            "training": {
                "steps_per_reading": choice.steps_per_reading,
                "learning_rate": choice.learning_rate,
                "network_learning_rate": choice.network_learning_rate,
                "full_steps": choice.full_steps,
            },
            "scoring": {"grid": [max(10, round(CELLS * side / max(extent.size))) for side in extent.size]},
            "survey": {"safety": {"margin": MARGIN, "planner": FOREVER, "reserve": choice.reserve}},
        }
    )
    # One line is allowed here, to see how it does.
    pilot = {"num_lines": lines} if lines else {"name": "none"}
    return settings.model_copy(update={"pilot": settings.pilot.model_copy(update=pilot)})


def _boat(task: Task, world: World) -> SimulatedVehicle:
    randomness = Randomness(task.seed)
    return SimulatedVehicle(
        PointSensor(world.bed, NOISE),
        pose=Pose(_home(world.area)),
        noise=lambda leg: randomness.generator("sensor", leg),
        speed=SPEED,
        sampling_rate=SPEED / task.choice.spacing,
        goal_radius=GOAL_RADIUS,
        slowdown_radius=GOAL_RADIUS,
    )


def _length(area: Area, num_lines: int) -> float:
    return AreaLawnmower(area, num_lines, margin=MARGIN).length(begin=area.home, home=area.home)


def _home(area: Area) -> tuple[float, float]:
    assert area.home is not None
    return area.home


def _outside(area: Area, epochs: Sequence[Epoch]) -> int:
    """Readings that were not in the water: there must be none."""
    return sum(int((~area.allows(epoch.samples.X)).sum()) for epoch in epochs if len(epoch.samples))


def _must_not_happen(sentence: str) -> None:
    raise RuntimeError(f"The comparison must not fall back to a lawnmower: {sentence}")
