"""Maps of the same tracks by several models: is the default's the best, and does it say so honestly?

python -m benchmarks.tracks [--seeds 10-19] [--fields bay N17E073 ...] [--runs results/tracks] [--out folder]

Needs AKRIG_DATA. A track is driven once, a lawnmower's or a planner's that is steered by the default model; then every
contender learns it leg by leg, as if it had been there, all but the paper's by the same rule. Resumable: what is done
is kept in --runs, a seed of every cell before the next.
"""

from benchmarks import timing  # isort: skip  # first: one thread

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from gpytorch.kernels import Kernel, ScaleKernel

from akrig.config import Settings, load_settings
from akrig.config.build import build_mission, build_model
from akrig.config.resolve import resolve
from akrig.files import written_beside
from akrig.geometry import Box
from akrig.gp import Training
from akrig.gp.members import combined
from akrig.kernels.stationary import matern, rbf
from akrig.metrics import Scoring
from akrig.protocols import Model
from akrig.survey.build import DepthInArea
from akrig.types import Samples
from benchmarks.field_survey.__main__ import PAPERS
from benchmarks.field_survey.runs import Task, survey, survey_settings
from benchmarks.field_survey.worlds import WORLDS

TILES = ("jacksboro", "N17E073", "N43W080", "N45W123", "N47W124")
LENGTHS = {"short": (700.0, 200), "medium": (1200.0, 400)}  # metres of a survey, readings of a mission on land
PATHS = ("lawnmower", "adaptive")
SCORES = ("rmse", "msll", "coverage95")


def two_scales() -> Kernel:
    """A short and a long RBF kernel, added: what a patient user of a plain kernel would try."""
    return ScaleKernel(rbf(0.1)) + ScaleKernel(rbf(1.0))


PLAIN: dict[str, Callable[[], Kernel]] = {
    "Matern 1/2": lambda: ScaleKernel(matern(nu=0.5)),
    "Matern 3/2": lambda: ScaleKernel(matern(nu=1.5)),
    "two-scale RBF": two_scales,
}
CONTENDERS = ("default", "paper's", *PLAIN)


@dataclass(frozen=True)
class Track:
    """Where, about how far, and by which path."""

    field: str
    length: str
    path: str
    seed: int

    @property
    def name(self) -> str:
        return "-".join([self.field.replace(" ", "-"), self.length, self.path, str(self.seed)])


@dataclass(frozen=True)
class Driven:
    """A track's legs, the settings it was planned with, what its maps are scored by, and the scores it ended with."""

    legs: list[Samples]
    settings: Settings
    workspace: Box
    scoring: Scoring
    ended: dict[str, float]


def driven(track: Track) -> Driven:
    metres, readings = LENGTHS[track.length]
    if track.field in WORLDS:
        return _on_water(Task(track.field, metres, track.seed, track.path))
    strategy = "myopic" if track.path == "adaptive" else track.path
    options = {"field": track.field, "strategy": strategy, "seed": track.seed, "budget": readings}
    settings = resolve(load_settings(options=options))
    parts = build_mission(settings)
    legs = [epoch.samples for epoch in parts.mission.epochs() if len(epoch.samples)]
    return Driven(
        legs, settings, parts.mission.workspace, parts.scoring, parts.scoring(parts.model, parts.model.samples)
    )


def _on_water(task: Task) -> Driven:
    (row,), arrays = survey(task)
    world = WORLDS[task.world](task.seed)
    settings = survey_settings(task, world.area, metres=row["budget"], lines=row["lines"])
    ends = np.cumsum([0, *arrays["legs"]]).tolist()
    legs = [Samples(arrays["X"][a:b], arrays["y"][a:b]) for a, b in pairwise(ends) if b > a]
    truth = DepthInArea(world.bed, world.area)
    scoring = Scoring(world.area.extent, tuple(settings.scoring.grid), truth, inside=world.area.allows)
    return Driven(legs, settings, world.area.extent, scoring, row)


def contender(name: str, found: Driven) -> Model:
    settings = found.settings
    if name == "default":
        return build_model(settings, workspace=found.workspace)
    if name == "paper's":
        return build_model(_as_in_the_paper(settings), workspace=found.workspace)
    training = settings.training
    return combined(
        lambda member: PLAIN[name](),
        noise_variance=settings.model.noise_variance,
        mean=settings.model.mean,
        workspace=found.workspace,
        training=Training("adam", training.learning_rate, training.network_learning_rate, training.full_steps),
    )


def _as_in_the_paper(settings: Settings) -> Settings:
    choice = PAPERS
    kernel = {"family": choice.family, "shortest": choice.shortest, "longest": choice.longest, "spacing": "even"}
    rates = {"learning_rate": choice.learning_rate, "network_learning_rate": choice.network_learning_rate}
    return settings.model_copy(
        update={
            "kernel": settings.kernel.model_copy(update=kernel),
            "model": settings.model.model_copy(update={"name": choice.model, "noise_variance": choice.noise_variance}),
            "training": settings.training.model_copy(update={**rates, "full_steps": choice.full_steps}),
        }
    )


def mapped(track: Track, folder: Path) -> list[dict[str, Any]]:
    """The scores of every contender's map; what was done before is read."""
    file = folder / f"{track.name}.json"
    if file.exists():
        return json.loads(file.read_text())
    found, rows = driven(track), []
    for name in CONTENDERS:
        model = contender(name, found)
        for leg in found.legs:
            model.observe(leg)
            model.fit(max(1, round(found.settings.training.steps_per_reading * len(leg))))
        scores = found.scoring(model, model.samples)
        rows.append(asdict(track) | {"map": name} | {score: scores[score] for score in SCORES})
    with written_beside(file) as beside:
        beside.write_text(json.dumps(rows, indent=1))
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Means over the seeds; of each other contender, by how much the default is better, and how surely (paired)."""
    head = ["track", "seeds", *(f"{name}: RMSE, MSLL, 95 %" for name in CONTENDERS), "best other: RMSE, MSLL (t)"]
    lines = ["| " + " | ".join(head) + " |", "|---|---:|" + "---|" * (len(CONTENDERS) + 1)]
    for cell, scores in sorted(_cells(rows).items()):
        means = {name: values.mean(axis=0) for name, values in scores.items()}
        words = [f"{rmse:.3g} / {msll:.2f} / {within:.2f}" for rmse, msll, within in means.values()]
        against = [_compared(scores, means, score) for score in (0, 1)]
        lines.append(
            "| " + " | ".join([", ".join(cell), str(len(scores["default"])), *words, "; ".join(against)]) + " |"
        )
    return "\n".join([*lines, "", *_overall(_cells(rows)), ""])


def _cells(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, np.ndarray]]:
    """By field, path and length: the scores (seeds, 3) of every contender."""
    keys = {(row["field"], row["path"], row["length"]) for row in rows}
    return {
        key: {
            name: np.array([[row[score] for score in SCORES] for row in rows if _is(row, key) and row["map"] == name])
            for name in CONTENDERS
        }
        for key in keys
    }


def _is(row: dict[str, Any], key: tuple[str, str, str]) -> bool:
    return (row["field"], row["path"], row["length"]) == key


def _compared(scores: dict[str, np.ndarray], means: dict[str, np.ndarray], score: int) -> str:
    """The best of the others, the default less it (RMSE: in %), and Student's t of the paired differences."""
    best = min(CONTENDERS[1:], key=lambda name: means[name][score])
    apart = scores["default"][:, score] - scores[best][:, score]
    t = student(apart)
    by = f"{100 * apart.mean() / means[best][score]:+.0f} %" if score == 0 else f"{apart.mean():+.2f}"
    return f"{best} {by} ({t:+.1f})"


def student(apart: np.ndarray) -> float:
    """Of the mean of paired differences; zero where it cannot be told."""
    if len(apart) < 2 or not apart.std():
        return 0.0
    return float(apart.mean() / (apart.std(ddof=1) / len(apart) ** 0.5))


def _overall(cells: dict[tuple[str, str, str], dict[str, np.ndarray]]) -> Iterator[str]:
    for name in CONTENDERS[1:]:
        pairs = [(scores["default"], scores[name]) for scores in cells.values()]
        ratio = float(np.mean([mine[:, 0].mean() / theirs[:, 0].mean() for mine, theirs in pairs]))
        nats = float(np.mean([(mine[:, 1] - theirs[:, 1]).mean() for mine, theirs in pairs]))
        lost = [sum(student(mine[:, k] - theirs[:, k]) > 2 for mine, theirs in pairs) for k in (0, 1)]
        yield (
            f"- against {name}: RMSE {100 * (ratio - 1):+.1f} %, MSLL {nats:+.2f} over {len(pairs)} cells; lost "
            f"(t > 2) in {lost[0]} by RMSE, {lost[1]} by MSLL"
        )
    within = [float(scores["default"][:, 2].mean()) for scores in cells.values()]
    yield f"- the default's 95 % intervals hold {min(within):.3f} to {max(within):.3f} of the truth"


def _tracks(fields: list[str], seeds: range) -> list[Track]:
    return [
        Track(field, length, path, seed) for seed in seeds for length in LENGTHS for field in fields for path in PATHS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Maps of the same tracks by several models.")
    parser.add_argument("--seeds", default="10-19")
    parser.add_argument("--fields", nargs="+", choices=[*WORLDS, *TILES], default=[*WORLDS, *TILES])
    parser.add_argument("--workers", type=int, default=timing.os.cpu_count())
    parser.add_argument("--runs", type=Path, default=Path("results/tracks"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/tracks"))
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    todo = _tracks(given.fields, range(int(first), int(last or first) + 1))
    given.runs.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        for done, found in enumerate(pool.map(mapped, todo, [given.runs] * len(todo)), start=1):
            rows += found
            print(f"{done}/{len(todo)} {todo[done - 1].name}: default {found[0]['rmse']:.3g}", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    with written_beside(given.out / "table.md") as beside:
        beside.write_text(table(rows))
    print(table(rows))


if __name__ == "__main__":
    main()
