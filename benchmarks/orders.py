"""Orders of survey that maps say they meet, against the truth: do 95 % of such depths keep what the order allows?

python -m benchmarks.orders [--seeds 10-14] [--worlds bay lake "two sides"] [--distances 700 1200]
    [--paths lawnmower route] [--runs results/field-survey] [--out docs/results/orders]

Needs AKRIG_DATA for the bay. A cell that is said to meet an order keeps it if its error is no larger than the order
allows at its true depth. Resumable: surveys are kept in --runs, and the table is written of all that there are.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from akrig.files import write_text
from akrig.s44 import ORDERS, SurveyOrder
from akrig.types import Values
from benchmarks.field_survey.runs import Task, carry_out
from benchmarks.field_survey.worlds import WORLDS
from benchmarks.planners.surveys import Survey

PATHS = ("lawnmower", "route")
BAR = 0.93


@dataclass(frozen=True)
class Tally:
    """Cells of maps: all, those that are said to meet an order, and those of them that keep it.

    Args:
        within: of all, those whose error an order allows, said or not.
    """

    cells: int = 0
    said: int = 0
    kept: int = 0
    within: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.cells + other.cells, self.said + other.said, self.kept + other.kept, self.within + other.within
        )


Tallies = Mapping[SurveyOrder, Tally]


def tallies(mean: Values, std: Values, truth: Values) -> Tallies:
    """By order, strictest first; places without truth do not count.

    Args:
        std: of a sounding.
    """
    known = np.isfinite(truth)
    mean, std, truth = mean[known], std[known], truth[known]
    error = np.abs(mean - truth)
    found = {}
    for order in ORDERS:
        said, allowed = order.is_met(mean, std), error <= order.allowed(truth)
        found[order] = Tally(len(truth), int(said.sum()), int((said & allowed).sum()), int(allowed.sum()))
    return found


def surveyed(task: Task, folder: Path) -> Tallies | None:
    """`None` if the survey has not been carried out."""
    rows, arrays = folder / f"{task.name}.json", folder / f"{task.name}.npz"
    if not rows.exists():
        return None
    json.loads(rows.read_text())  # written last: where it can be read, all is there
    with np.load(arrays) as found:
        return tallies(found["mean_online"], found["std_online"], found["truth"])


def together(many: Iterable[Tallies]) -> Tallies:
    many = list(many)
    return {order: sum((each[order] for each in many), Tally()) for order in ORDERS}


def table(found: Mapping[tuple[str, float, str], Sequence[Tallies]]) -> str:
    """Markdown: of each order, the share of cells said to meet it, and of these, the share that does.

    Args:
        found: by world, distance and path; one for each seed.
    """
    head = ["world", "path", "seeds", *(f"{order.label}: said, kept" for order in ORDERS)]
    lines = ["| " + " | ".join(head) + " |", "| --- | --- |" + " ---: |" * (len(head) - 2)]
    for (world, nominal, path), many in found.items():
        lines.append(_row(f"{world}, {nominal / 1000:.1f} km", path, len(many), together(many)))
    everything = [each for many in found.values() for each in many]
    lines.append(_row("**all**", "", len(everything), together(everything)))
    worst = {order: min(_kept(each[order]) for each in everything) for order in ORDERS}
    below = {order: sum(_kept(each[order]) < BAR for each in everything) for order in ORDERS}
    shown = [f"{worst[order]:.3f}; {below[order]}" for order in ORDERS]
    lines.append("| " + " | ".join(["worst survey; below 0.93", "", "", *shown]) + " |")
    return "\n".join(lines) + "\n"


def _kept(tally: Tally) -> float:
    return tally.kept / tally.said if tally.said else 1.0


def _row(world: str, path: str, seeds: int, found: Tallies) -> str:
    said = [f"{each.said / each.cells:.2f}, {_kept(each):.3f}" if each.said else "0" for each in found.values()]
    return "| " + " | ".join([world, path, str(seeds), *said]) + " |"


def tasks(worlds: Sequence[str], distances: Sequence[float], paths: Sequence[str], seeds: range) -> Iterator[Task]:
    """All of a seed before the next."""
    for seed in seeds:
        for distance in distances:
            for path in paths:
                for world in worlds:
                    yield Survey(world, distance, seed, path).task


def main() -> None:
    parser = argparse.ArgumentParser(description="Orders of survey that maps say they meet, against the truth.")
    parser.add_argument("--seeds", default="10-14")
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--distances", nargs="+", type=float, default=[700.0, 1200.0])
    parser.add_argument("--paths", nargs="+", choices=PATHS, default=list(PATHS))
    parser.add_argument("--runs", type=Path, default=Path("results/field-survey"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/orders"))
    parser.add_argument("--only-table", action="store_true", help="of the surveys that there are")
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    found: dict[tuple[str, float, str], list[Tallies]] = {}
    given.runs.mkdir(parents=True, exist_ok=True)
    for task in tasks(given.worlds, given.distances, given.paths, seeds):
        if not given.only_table:
            carry_out(task, given.runs)
            print(task.name, flush=True)
        of_task = surveyed(task, given.runs)
        if of_task is not None:
            found.setdefault((task.world, task.nominal, task.path), []).append(of_task)
    given.out.mkdir(parents=True, exist_ok=True)
    write_text(given.out / "orders.md", table(found))


if __name__ == "__main__":
    main()
