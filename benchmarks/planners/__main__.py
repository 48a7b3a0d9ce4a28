"""Planners at equal metres, way home included, by pairs with a lawnmower whose map the same model makes.

python -m benchmarks.planners [--seeds 10-29] [--fields bay lake ...] [--distances 700 1200 2200 4000]
    [--planners lawnmower route ...] [--error 0.5] [--target 1.0] [--runs results/planners] [--out FOLDER]

Needs AKRIG_DATA for the bay and the paper's tiles. Resumable: a finished survey is kept in --runs, and the tables are
written of what there is when all are done. Seeds that anything was chosen by are not those to report.
"""

from benchmarks import timing  # isort: skip  # first: one thread

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.planners.report import write_report
from benchmarks.planners.surveys import CONTENDERS, LAWNMOWER, Row, Survey, carry_out
from benchmarks.planners.waters import WATERS

DISTANCES = (700.0, 1200.0, 2200.0, 4000.0)  # metres


def surveys(
    fields: Sequence[str], distances: Sequence[float], seeds: Sequence[int], planners: Sequence[str], *, error: float
) -> list[Survey]:
    """All of a seed before the next, so that what is there is a fair sample whenever it is broken off."""
    return [
        Survey(field, distance, seed, planner, error)
        for seed in seeds
        for distance in distances
        for field in fields
        for planner in dict.fromkeys([LAWNMOWER, *planners])
    ]


def carried_out(todo: Sequence[Survey], folder: Path, *, workers: int) -> Iterator[Row]:
    """In the order of `todo`."""
    folder.mkdir(parents=True, exist_ok=True)
    if workers == 1:
        for done, each in enumerate(todo, start=1):
            yield _told(carry_out(each, folder), done, len(todo))
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(carry_out, each, folder): each for each in todo}
        found = {futures[each]: each.result() for each in as_completed(futures)}
    yield from (_told(found[each], done, len(todo)) for done, each in enumerate(todo, start=1))


def _told(row: Row, done: int, of: int) -> Row:
    name = f"{row['field']}, {row['nominal']:.0f} m, seed {row['seed']}, {row['contender']}"
    print(f"{done}/{of} {name}: {row['rmse']:.3f} m, {row['msll']:.2f}", flush=True)
    return row


def _seeds(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Planners at equal metres, by pairs with a lawnmower.")
    parser.add_argument("--seeds", type=_seeds, default=_seeds("10-29"))
    parser.add_argument("--fields", nargs="+", choices=list(WATERS), default=list(WATERS))
    parser.add_argument("--distances", nargs="+", type=float, default=list(DISTANCES))
    parser.add_argument("--planners", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--error", type=float, default=0.5, help="metres that a mapped cell may be wrong by")
    parser.add_argument("--target", type=float, default=1.0, help="mean standard deviation to reach, metres")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("results/planners"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/planners"))
    given = parser.parse_args()
    todo = surveys(given.fields, given.distances, given.seeds, given.planners, error=given.error)
    rows = list(carried_out(todo, given.runs, workers=given.workers))
    print(write_report(rows, given.out, target=given.target))


if __name__ == "__main__":
    assert timing
    main()
