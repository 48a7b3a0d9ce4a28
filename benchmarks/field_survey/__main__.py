"""The adaptive survey against a lawnmower of equal distance: RMSE, MSLL and 95 % coverage over the polygon.

python -m benchmarks.field_survey [--seeds 5] [--worlds bay lake "two sides"] [--out docs/results/field-survey]

Needs AKRIG_DATA (soundings/aburatsubo.csv) for the bay. Resumable: finished surveys are kept in --runs.
"""

from benchmarks import timing  # isort: skip  # first: one thread

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from akrig.plots.save import save_figure
from benchmarks.field_survey.report import maps, write_report, write_trials
from benchmarks.field_survey.routes import route_tasks, write_routes
from benchmarks.field_survey.runs import Choice, Row, Task, carry_out
from benchmarks.field_survey.worlds import WORLDS

DISTANCES = (700.0, 1200.0, 2200.0)  # metres, about: the lawnmower whose length is nearest says how many exactly
SHOWN = (1200.0, 0)  # distance and seed of the maps
TRIAL_DISTANCE = 1200.0
# One choice at a time against the first.
PAPERS = Choice(
    shortest=0.01, longest=0.5, lengthscales="even", family="rbf", model="exact", noise_variance=1.0,
    learning_rate=0.01, network_learning_rate=0.001, full_steps=None, information="entropy",
)  # fmt: skip
TRIALS = {
    "as in the table": Choice(),
    "the paper's model": PAPERS,
    "one network": Choice(model="exact"),
    "pilot pass of one line": Choice(pilot_lines=1),
    "Matern 3/2": Choice(family="matern32"),
    "constant mean": Choice(mean="constant"),
    "3 steps per reading": Choice(steps_per_reading=3.0),
    "200 candidates": Choice(candidates=200),
    "by entropy": Choice(information="entropy"),
}


def tasks(worlds: Iterable[str], seeds: Iterable[int]) -> list[Task]:
    """The short ones first."""
    return [
        Task(world, distance, seed, path)
        for distance in DISTANCES
        for world in worlds
        for seed in seeds
        for path in ("adaptive", "lawnmower")
    ]


def trials(worlds: Iterable[str], seeds: Iterable[int]) -> list[Task]:
    return [
        Task(world, TRIAL_DISTANCE, seed, "adaptive", choice)
        for seed in seeds
        for choice in TRIALS.values()
        for world in worlds
    ]


def carried_out(
    todo: Sequence[Task], folder: Path, *, workers: int, kernels: Sequence[str] = ()
) -> Iterator[list[Row]]:
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(carry_out, task, folder, kernels=kernels): task for task in todo}
        for done, future in enumerate(as_completed(futures), start=1):
            rows = future.result()
            scores = ", ".join(f"{row['map']} {row['rmse']:.3f} m" for row in rows)
            print(f"{done}/{len(todo)} {futures[future].name}: {scores}", flush=True)
            yield rows


def main() -> None:
    parser = argparse.ArgumentParser(description="The adaptive survey against a lawnmower of equal distance.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--workers", type=int, default=timing.os.cpu_count())
    parser.add_argument("--runs", type=Path, default=Path("results/field-survey"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/field-survey"))
    parser.add_argument("--trials", action="store_true", help="what else could be chosen, instead of the table")
    parser.add_argument("--routes", type=int, metavar="SEED", help="routes against lawnmowers, from this seed on")
    given = parser.parse_args()
    if "bay" in given.worlds and "AKRIG_DATA" not in timing.os.environ:
        sys.exit("Set AKRIG_DATA to the folder that holds soundings/aburatsubo.csv, or leave out the bay (--worlds).")
    if given.routes is not None:
        todo = route_tasks(given.worlds, DISTANCES, range(given.routes, given.routes + given.seeds))
        rows = [row for found in carried_out(todo, given.runs, workers=given.workers) for row in found]
        write_routes(rows, given.out)
        return
    seeds = range(given.seeds)
    todo = trials(given.worlds, seeds) if given.trials else tasks(given.worlds, seeds)
    kernels = () if given.trials else ("rbf",)
    rows = [row for found in carried_out(todo, given.runs, workers=given.workers, kernels=kernels) for row in found]
    rows.sort(key=lambda row: (list(WORLDS).index(row["world"]), row["nominal"], row["seed"], row["path"], row["map"]))
    if given.trials:
        write_trials(rows, TRIALS, given.out)
        return
    write_report(rows, given.out)
    arrays = {(task.world, task.path): given.runs / f"{task.name}.npz" for task in todo if _shown(task) == SHOWN}
    shown = [(world, arrays[world, "adaptive"], arrays[world, "lawnmower"]) for world in given.worlds]
    save_figure(maps(shown), given.out / "maps.png")


def _shown(task: Task) -> tuple[float, int]:
    return task.nominal, task.seed


if __name__ == "__main__":
    main()
