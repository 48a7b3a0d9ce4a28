"""One survey of the study: its scores, as a row that is kept."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from akrig.files import written_beside
from benchmarks.field_survey.runs import Choice, Task, survey
from benchmarks.planners.waters import WATERS

Row = dict[str, Any]
LAWNMOWER = "lawnmower"  # what the others are held against
# The lawnmower is laid out beforehand and comes home with its last metre; all others may do so, too.
BY_ITSELF = Choice(pilot_lines=0, reserve=1.0)
AFTER_PILOT = Choice(reserve=1.0)
CONTENDERS = {
    LAWNMOWER: AFTER_PILOT,
    "myopic": AFTER_PILOT,
    **dict.fromkeys(["route", "lawnmower-infill", "lap-and-spine", "cover", "tree-search"], BY_ITSELF),
}
KEPT = ("rmse", "mae", "msll", "coverage95", "uncertainty", "metres", "budget", "readings", "legs", "outside")


@dataclass(frozen=True)
class Survey:
    """Args:
    nominal: metres, about: the lawnmower whose length is nearest says how many exactly.
    error: metres that a cell may be wrong by, to count as mapped.
    choice: instead of the contender's own, for tests.
    """

    field: str
    nominal: float
    seed: int
    contender: str
    error: float = 0.5
    choice: Choice | None = None

    @property
    def task(self) -> Task:
        choice = CONTENDERS[self.contender] if self.choice is None else self.choice
        return Task(self.field, self.nominal, self.seed, self.contender, choice)


def carry_out(todo: Survey, folder: Path) -> Row:
    """What was done before is read; errors of its cells lie in the row, so that another limit needs no new survey."""
    file = folder / f"{todo.task.name}.json"
    if not file.exists():
        rows, arrays = survey(todo.task, WATERS)
        apart = np.abs(arrays["mean_online"] - arrays["truth"])
        counted = np.sort(apart[np.isfinite(apart)])
        told = {"planning": rows[0]["planning"], "errors": [float(f"{error:.3g}") for error in counted]}
        with written_beside(file) as beside:
            beside.write_text(json.dumps({name: rows[0][name] for name in KEPT} | told))
    return _row(todo, json.loads(file.read_text()))


def _row(todo: Survey, found: Row) -> Row:
    planning = found.pop("planning")
    named = {"field": todo.field, "nominal": todo.nominal, "seed": todo.seed, "contender": todo.contender}
    return {
        **named,
        **found,
        "errors": None,
        "within": float(np.mean(np.array(found["errors"]) <= todo.error)),
        "plan_median": float(np.median(planning)) if planning else 0.0,
        "plan_worst": max(planning, default=0.0),
    }
