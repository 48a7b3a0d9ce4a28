"""Routes against lawnmowers of equal distance, by pairs: `python -m benchmarks.field_survey --routes 10`."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from akrig.files import written_beside
from benchmarks.field_survey.runs import Choice, Row, Task
from benchmarks.field_survey.worlds import WORLDS

# The lawnmower is laid out beforehand and comes home with its last metre; a route may do so, too.
ROUTE = Choice(pilot_lines=0, reserve=1.0)
KEPT = (
    "world",
    "nominal",
    "seed",
    "path",
    "metres",
    "readings",
    "legs",
    "rmse",
    "mae",
    "msll",
    "coverage95",
    "outside",
)
HEAD = ("world", "km", "seeds", "lawnmower", "route", "RMSE, route by lawnmower", "worst", "route better (RMSE, MSLL)")


def route_tasks(worlds: Iterable[str], distances: Iterable[float], seeds: Iterable[int]) -> list[Task]:
    return [
        task
        for distance in distances
        for world in worlds
        for seed in seeds
        for task in (Task(world, distance, seed, "route", ROUTE), Task(world, distance, seed, "lawnmower"))
    ]


def write_routes(rows: Sequence[Row], folder: Path) -> None:
    """The table of pairs, and all numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    order = sorted(rows, key=lambda row: (list(WORLDS).index(row["world"]), row["nominal"], row["seed"], row["path"]))
    text = io.StringIO()
    writer = csv.DictWriter(text, KEPT, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in order:
        writer.writerow({name: f"{row[name]:.6g}" if isinstance(row[name], float) else row[name] for name in KEPT})
    for name, content in (("routes.csv", text.getvalue()), ("routes.md", routes_table(order))):
        with written_beside(folder / name) as beside:
            beside.write_text(content, encoding="utf-8")


def routes_table(rows: Sequence[Row]) -> str:
    """Markdown: RMSE (m), MSLL and 95 % coverage, means over the seeds that both have."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---:|---:|---|---|---:|---:|---:|"]
    for world in WORLDS:
        for nominal in sorted({row["nominal"] for row in rows}):
            here = [row for row in rows if (row["world"], row["nominal"]) == (world, nominal)]
            if pairs := _pairs(here):
                lines.append(_line(world, nominal, pairs))
    return "\n".join(lines) + "\n"


def _pairs(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    mown = {row["seed"]: row for row in rows if row["path"] == "lawnmower"}
    return [(mown[row["seed"]], row) for row in rows if row["path"] == "route" and row["seed"] in mown]


def _line(world: str, nominal: float, pairs: Sequence[tuple[Row, Row]]) -> str:
    mown, routes = ([pair[which] for pair in pairs] for which in (0, 1))
    ratios = np.array([route["rmse"] / other["rmse"] for other, route in pairs])
    wins = [sum(route[name] < other[name] for other, route in pairs) for name in ("rmse", "msll")]
    seeds = f"{routes[0]['seed']}-{routes[-1]['seed']}" if len(pairs) > 1 else str(routes[0]["seed"])
    cells = (
        *(world, f"{nominal / 1000:.1f}", seeds, _means(mown), _means(routes)),
        *(f"{np.exp(np.log(ratios).mean()):.2f}", f"{ratios.max():.2f}", f"{wins[0]}, {wins[1]} of {len(pairs)}"),
    )
    return "| " + " | ".join(cells) + " |"


def _means(rows: Sequence[Row]) -> str:
    rmse, msll, coverage = (np.mean([row[name] for row in rows]) for name in ("rmse", "msll", "coverage95"))
    return f"{rmse:.2f} / {msll:.2f} / {coverage:.2f}"
