"""How much it matters to score a map every few readings rather than after every epoch."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from akrig.metric_parts import METRICS
from akrig.paper.writing import ReportTable, write_csv, write_markdown, write_page
from akrig.plots import page
from akrig.plots.formatting import counted
from akrig.study.definition import Study
from akrig.study.results import Results
from akrig.study.summary import ERRORS, change_by_thinning

STUDY = "paper-scoring"  # whose tables the benchmark shows
EVERY = (5, 10, 20, 50)
_LEAST_EPOCHS = 2


def write_scoring(study: Study, results: Results, folder: Path) -> list[str]:
    """Of runs that were scored after every epoch."""
    changes = changes_of(results)
    if not changes:
        write_page(study, results, folder, [])
        return [f"There are no results yet: {folder / 'report.html'}"]
    summaries: dict[tuple[int, str], Summary] = {
        key: (float(np.abs(values).max()), float(np.abs(values).mean()), len(values)) for key, values in changes.items()
    }
    rows = [[every, metric, *summary] for (every, metric), summary in summaries.items()]
    write_csv(folder, "scoring", ["every", "metric", "largest", "mean", "runs"], rows)
    table, said = _table(summaries), sentence(summaries, 10)
    write_csv(folder, "scoring-runs", *_by_run(results))
    write_markdown(folder, "scoring", ["# Scoring every few readings", said, table])
    parts = [page.paragraph(said, kind="lead"), page.section("Change of averaged metrics", [page.study_table(table)])]
    return [said, write_page(study, results, folder, parts)]


Summary = tuple[float, float, int]  # largest and mean change, as shares, and the number of runs


def changes_of(results: Results) -> dict[tuple[int, str], list[float]]:
    """By how many readings between scores, and metric: a number per run."""
    scored = [result.data for result in results if result.data.sizes["samples"] >= _LEAST_EPOCHS]
    changes = {
        (every, metric): [change_by_thinning(data, metric, every) for data in scored if metric in data]
        for every in EVERY
        for metric in ERRORS
    }
    return {key: values for key, values in changes.items() if values}


def _by_run(results: Results) -> tuple[list[str], list[list[object]]]:
    axes = list(results[0].labels)
    rows: list[list[object]] = []
    for result in results:
        if result.data.sizes["samples"] >= _LEAST_EPOCHS:
            changes = [change_by_thinning(result.data, m, 10) if m in result.data else None for m in ERRORS]
            rows.append([*(result.labels.get(axis, "") for axis in axes), *changes])
    return [*axes, *ERRORS], rows


def _table(summaries: Mapping[tuple[int, str], Summary]) -> ReportTable:
    metrics = [metric for metric in ERRORS if any(found == metric for _, found in summaries)]
    rows = [
        [
            f"{every} readings",
            *(f"{100 * summaries[every, m][0]:.2f} % (mean {100 * summaries[every, m][1]:.2f} %)" for m in metrics),
        ]
        for every in dict.fromkeys(every for every, _ in summaries)
    ]
    return ReportTable(["Scored every", *(METRICS[metric].label for metric in metrics)], rows)


def sentence(summaries: Mapping[tuple[int, str], Summary], every: int) -> str:
    chosen = {metric: summary for (found, metric), summary in summaries.items() if found == every}
    worst = max(chosen, key=lambda metric: chosen[metric][0])
    return (
        f"Scoring every {every} readings instead of after every epoch changes averaged metrics by at most "
        f"{100 * chosen[worst][0]:.2f} % ({METRICS[worst].label}) in {counted(chosen[worst][2], 'run')}."
    )


def scoring_part(study: Study, folder: Path) -> list[str]:
    """For the benchmark's page: nothing if it was scored after every epoch."""
    every = int(study.base.get("scoring", {}).get("every", 1))
    if every <= 1:
        return []
    summaries = _read(folder.parent / STUDY / "tables" / "scoring.csv")
    if any(found == every for found, _ in summaries):
        share = (
            "Shares of the metric's mean size; the largest and the mean over runs that were scored after every epoch."
        )
        return [page.paragraph(f"{sentence(summaries, every)} {share}"), page.study_table(_table(summaries))]
    return [
        page.paragraph(
            f"Maps were scored every {every} readings rather than after every epoch. What that changes was not "
            f"measured beside this study; `akrig study {STUDY}`, with its folder next to this one, does."
        )
    ]


def _read(path: Path) -> dict[tuple[int, str], Summary]:
    try:
        rows: list[dict[str, Any]] = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        return {
            (int(row["every"]), row["metric"]): (float(row["largest"]), float(row["mean"]), int(row["runs"]))
            for row in rows
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}
