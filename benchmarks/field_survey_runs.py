"""One survey, adaptive or along a lawnmower's lines, with the paper's boat in process; and the maps made of it."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.field_survey_worlds import WORLDS, World
from numpy.random import default_rng

from akrig.config import Settings
from akrig.config.models import build_model
from akrig.geo import Area
from akrig.geometry import Pose
from akrig.metrics import Scoring
from akrig.mission import Mission
from akrig.randomness import Randomness
from akrig.strategies.area import AreaLawnmower, AreaPilot
from akrig.survey.building import Planning, Within, build_planning
from akrig.types import Epoch, Plan, Samples, Situation
from akrig.vehicles import PointSensor, SimulatedVehicle

MARGIN, SPEED, NOISE = 5.0, 1.5, 0.05  # metres, metres per second, metres
GOAL_RADIUS = 1.0
CELLS = 60  # of the grid that is scored, along the longer side, as in a survey
FOREVER = 1e6  # seconds that the planner may take: a busy computer must not change a result


@dataclass(frozen=True)
class Choice:
    """What can be chosen about an adaptive survey.

    Args:
        pilot_lines: `None` takes as many as `pilot_share` of the distance allows.
    """

    pilot_lines: int | None = None
    pilot_share: float = 0.35
    longest: float = 0.5
    normalization: str = "workspace"
    mean: str = "zero"
    steps_per_reading: float = 1.0
    spacing: float = 2.0
    candidates: int = 1000
    noise_variance: float = 1.0
    learning_rate: float = 0.01
    network_learning_rate: float = 0.001
    shortest: float = 0.01


@dataclass(frozen=True)
class Task:
    """One survey: where, about how far, by which path, and which maps are made of its readings.

    Args:
        maps: `online` is the model that planned; `attentive` and `rbf` are trained on all readings when all are there.
    """

    world: str
    nominal: float
    seed: int
    path: str
    choice: Choice = Choice()
    maps: tuple[str, ...] = ("online",)

    @property
    def name(self) -> str:
        key = sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:10]
        return f"{self.world.replace(' ', '-')}-{self.nominal:.0f}-{self.path}-{self.seed}-{key}"


def carry_out(task: Task, folder: Path) -> list[dict[str, Any]]:
    """The rows of a task; read again if it was done before."""
    file = folder / f"{task.name}.json"
    if not file.exists():
        rows, samples = _survey(task)
        np.savez_compressed(file.with_suffix(".npz"), X=samples.X, y=samples.y)
        new = file.with_suffix(".part")
        new.write_text(json.dumps(rows, indent=1))
        new.rename(file)
    return json.loads(file.read_text())


def lawnmower_for(area: Area, nominal: float) -> tuple[int, float]:
    """How many lines come nearest to a distance, and how long that survey is with the ways there and home."""
    assert area.home is not None
    most = AreaLawnmower.for_distance(nominal, area, margin=MARGIN, begin=area.home).num_lines

    def length(num_lines: int) -> float:
        return AreaLawnmower.length(area, num_lines, margin=MARGIN, begin=area.home, home=area.home)

    best = min((most, most + 1), key=lambda num_lines: abs(length(num_lines) - nominal))
    return best, length(best)


def pilot_lines(area: Area, metres: float) -> int:
    """As many as so many metres allow, with the ways there and home; one at least."""
    count = 1
    while AreaLawnmower.length(area, count + 1, margin=MARGIN, begin=area.home, home=area.home) <= metres:
        count += 1
    return count


def _survey(task: Task) -> tuple[list[dict[str, Any]], Samples]:
    world = WORLDS[task.world](task.seed)
    area = world.area
    lines, metres = lawnmower_for(area, task.nominal)
    if task.path == "adaptive":
        lines = task.choice.pilot_lines or pilot_lines(area, task.choice.pilot_share * metres)
    settings = _settings(task, area, metres, lines)
    planning = build_planning(
        settings, area, _home(area), vehicle=_boat(task, world), truth=Within(world.bed, area), tell=_refuse
    )
    begin = time.process_time()
    epochs = list(_epochs(planning, area, adaptive=task.path == "adaptive"))
    planning.worker.close()
    about = {
        "world": task.world, "nominal": task.nominal, "seed": task.seed, "path": task.path, **asdict(task.choice),
        "lines": lines, "budget": metres, "metres": epochs[-1].used.distance,
        "legs": len(epochs), "outside": _outside(area, epochs),
    }  # fmt: skip
    scoring, samples = planning.parts.scoring, planning.parts.model.samples
    rows = []
    for name in task.maps:
        if name == "online":
            model = planning.parts.model
        else:
            begin = time.process_time()
            model = mapped(samples, settings.model_copy(update={"kernel": _kernel(settings, name)}))
        rows.append(about | {"map": name, "readings": len(samples), "noise_std": float(model.noise_variance) ** 0.5})
        rows[-1] |= scoring(model, samples) | {"seconds": time.process_time() - begin}
    return rows, samples


def mapped(samples: Samples, settings: Settings):
    """A model that saw nothing while the survey ran, and is trained as long as one that did."""
    assert settings.workspace is not None
    from akrig.config.vehicles import box

    workspace = box(settings.workspace)
    assert workspace is not None
    model = build_model(settings, workspace=workspace)
    model.observe(samples)
    model.fit(max(1, round(settings.training.steps_per_reading * len(samples))))
    return model


def _epochs(planning: Planning, area: Area, *, adaptive: bool) -> Iterator[Epoch]:
    """The pilot pass alone is a lawnmower, if it has as many lines; then the way home, as in a survey."""
    mission: Mission = planning.parts.mission
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


def _settings(task: Task, area: Area, metres: float, lines: int) -> Settings:
    choice, extent = task.choice, area.extent
    counts = [max(10, round(CELLS * side / max(extent.size))) for side in extent.size]
    settings = Settings.model_validate(
        {
            "seed": task.seed,
            "field": "none",
            "workspace": {"lower": list(extent.lower), "upper": list(extent.upper)},
            "kernel": {"shortest": choice.shortest, "longest": choice.longest},
            "strategy": {"num_candidates": choice.candidates},
            "budget": {"distance": metres},
            "vehicle": {"speed": SPEED, "spacing": choice.spacing},
            "model": {
                "mean": choice.mean, "normalization": choice.normalization, "noise_variance": choice.noise_variance
            },
            "training": {
                "steps_per_reading": choice.steps_per_reading,
                "learning_rate": choice.learning_rate,
                "network_learning_rate": choice.network_learning_rate,
            },
            "scoring": {"grid": counts},
            "survey": {"safety": {"margin": MARGIN, "planner": FOREVER}},
        }
    )
    return settings.model_copy(update={"pilot": settings.pilot.model_copy(update={"num_lines": lines})})


def _kernel(settings: Settings, name: str):
    return settings.kernel.model_copy(update={"name": name})


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


def _home(area: Area) -> tuple[float, float]:
    assert area.home is not None
    return area.home


def _outside(area: Area, epochs: Sequence[Epoch]) -> int:
    """Readings that were not in the water."""
    return sum(int((~area.allows(epoch.samples.X)).sum()) for epoch in epochs if len(epoch.samples))


def _refuse(sentence: str) -> None:
    raise RuntimeError(f"The comparison must not fall back: {sentence}")


__all__ = ["AreaPilot", "Choice", "Task", "carry_out"]
