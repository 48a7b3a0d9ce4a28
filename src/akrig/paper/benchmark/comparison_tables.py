"""Our numbers beside the paper's, as tables."""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from akrig.metric_parts import METRICS
from akrig.paper.benchmark.comparison import Cell, Ranking, published_scores
from akrig.paper.benchmark.sentences import NOTE, OTHER_MODELS, likely_reason
from akrig.paper.benchmark.tables import in_stds, plus_minus
from akrig.paper.writing import ReportTable
from akrig.plots.formatting import MISSING

_MANY = 5  # seeds, whose mean chance hardly moves


BESIDE: dict[str, Callable[[Cell], str]] = {  # one of our numbers, and the paper's
    "Metric": lambda cell: METRICS[cell.key[3]].label,
    "Ours": lambda cell: plus_minus(cell.ours, cell.key[3]),
    "Paper": lambda cell: str(cell.theirs),
    "Difference": lambda cell: in_stds(cell.z),
}


def comparison_table(cells: Sequence[Cell]) -> ReportTable:
    names = {
        head: lambda cell, place=place: cell.key[place] for place, head in enumerate(("Strategy", "Field", "Kernel"))
    }
    far = frozenset((i, 6) for i, cell in enumerate(cells) if not cell.is_within)
    return ReportTable.of(cells, {**names, **BESIDE}, names=4, best=far)


def comparison_csv(cells: Iterable[Cell]) -> list[list[object]]:
    return [
        [
            *(*c.key, c.ours.mean, c.ours.std, c.ours.num_seeds, c.theirs.mean, c.theirs.std, c.z),
            "yes" if c.is_within else "no",
        ]
        for c in cells
    ]


def reasons_table(cells: Iterable[Cell]) -> ReportTable:
    """Of the numbers that are too far from the paper's, the farthest first."""
    far, paper = sorted((c for c in cells if not c.is_within), key=lambda c: -abs(c.z)), published_scores()
    run, reason = lambda cell: ", ".join(cell.key[:3]), lambda cell: likely_reason(cell, paper)
    return ReportTable.of(far, {"Run": run, **BESIDE, "Likely reason": reason}, is_text=True)


def reasons_notes(cells: Sequence[Cell]) -> list[str]:
    """What several of them have in common."""
    far = [cell for cell in cells if not cell.is_within]
    kernels = dict.fromkeys(cell.key[2] for cell in far if cell.key[2] in OTHER_MODELS)
    known = [OTHER_MODELS[kernel][1] for kernel in kernels]
    return [NOTE, *known] if far and min(cell.ours.num_seeds for cell in far) >= _MANY else known


def rankings_table(rankings: Sequence[Ranking], reference: str) -> ReportTable:
    """How often the order of kernels agrees with the paper's, by strategy and in all."""
    strategies = list(dict.fromkeys(ranking.strategy for ranking in rankings))
    groups = {strategy: [r for r in rankings if r.strategy == strategy] for strategy in strategies}
    if len(groups) > 1:
        groups["all"] = list(rankings)
    columns: dict[str, Callable[[tuple[str, Sequence[Ranking]]], str]] = {
        "Strategy": lambda named: named[0],
        "Cells": lambda named: str(len(named[1])),
        f"{reference} best": lambda named: str(sum(r.our_order[0] == reference for r in named[1])),
        "in the paper": lambda named: str(sum(r.their_order[0] == reference for r in named[1])),
        "Same best": lambda named: str(sum(r.same_best for r in named[1])),
        "Same order": lambda named: str(sum(r.same_order for r in named[1])),
        "Mean Kendall \u03c4-b": lambda named: _mean_tau(named[1]),
    }
    return ReportTable.of(groups.items(), columns)


def _mean_tau(group: Sequence[Ranking]) -> str:
    """Where the paper printed one number for all, there is no order to agree with."""
    found = [ranking.tau for ranking in group if math.isfinite(ranking.tau)]
    return f"{fmean(found):.2f}".replace("-", "\u2212") if found else MISSING


def rankings_csv(rankings: Iterable[Ranking]) -> list[list[object]]:
    return [
        [
            *(r.strategy, r.field, r.metric, " ".join(r.our_order), " ".join(r.their_order)),
            *("yes" if agrees else "no" for agrees in (r.same_best, r.same_order)),
            r.tau,
        ]
        for r in rankings
    ]


def orders_table(rankings: Sequence[Ranking]) -> ReportTable:
    """Where the order differs from the paper's."""
    columns: dict[str, Callable[[Ranking], str]] = {
        "Cell": lambda ranking: f"{ranking.strategy}, {ranking.field}",
        "Metric": lambda ranking: METRICS[ranking.metric].label,
        "\u03c4": lambda ranking: f"{ranking.tau:.2f}".replace("-", "\u2212"),
        "Ours, from the best": lambda ranking: " < ".join(ranking.our_order),
        "Paper's": lambda ranking: " < ".join(ranking.their_order),
    }
    return ReportTable.of([ranking for ranking in rankings if not ranking.same_order], columns, is_text=True)
