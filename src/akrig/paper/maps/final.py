"""Final maps and scores of runs, whether missions or regressions, as figures and tables want them."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import xarray as xr

from akrig.metric_parts import METRICS
from akrig.paper.benchmark.tables import best_of, metric_number
from akrig.paper.maps.figure import MapRow
from akrig.paper.writing import GroupedRows, ReportTable
from akrig.study.results import Result, Results

MAPS_CAPTION = (
    "Truth and predictions share one colour scale, uncertainty (one standard deviation of a reading) and absolute "
    "error the other. A good map is dark in the same places in both."
)


def snapshot_of(data: xr.Dataset) -> MapRow:
    layers = {name: data[name].transpose("y", "x").to_numpy().astype(np.float64) for name in ("mean", "std", "truth")}
    return MapRow(data["x"].to_numpy(), data["y"].to_numpy(), readings=data["reading_x"].to_numpy(), **layers)


def final_scores(result: Result, names: Sequence[str]) -> dict[str, float]:
    """Of a mission, those of its last scoring; of a regression, those at its end."""
    found = {}
    for name in names:
        if name in result.data and "samples" in result.data[name].dims and result.data.sizes["samples"]:
            found[name] = float(result.data[name].to_numpy()[-1])
        else:
            found[name] = float(result.data.attrs.get(name, math.nan))
    return found


def group_label(result: Result) -> str:
    """What runs have in common that differ in their kernel only."""
    others = {axis: label for axis, label in result.labels.items() if not axis.startswith("kernel")}
    names = {"field": result.label("field"), **others}
    return ", ".join(f"seed {label}" if axis == "seed" else label for axis, label in names.items() if label)


def groups_of(results: Results) -> dict[str, Results]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(group_label(result), []).append(result)
    return {name: Results(members) for name, members in groups.items()}


def final_scores_table(
    results: Results, names: Sequence[str], *, more: Mapping[str, Callable[[Result], str]] | None = None
) -> ReportTable:
    """A row per run, grouped by all but the kernel; the best of each group in bold.

    Args:
        more: columns, and what stands in them.
    """
    rows, more = GroupedRows(), more or {}
    for group, members in groups_of(results).items():
        rows.begin(group, [result.label("kernel") for result in members])
        scores = [final_scores(result, names) for result in members]
        for name in names:
            column = [row[name] for row in scores]
            rows.add([metric_number(value, name) for value in column], best_of(column, METRICS[name]))
        for shown in more.values():
            rows.add([shown(result) for result in members])
    return rows.table(["Map", "Kernel", *(METRICS[name].label for name in names), *more])
