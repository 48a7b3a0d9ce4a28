"""The sensitivity study's report: one factor of the attentive kernel after the other."""

from collections.abc import Sequence
from pathlib import Path

from akrig.metric_parts import METRICS
from akrig.paper.benchmark.tables import best_of, metric_number, plus_minus
from akrig.paper.sensitivity.data import FACTORS, Sensitivity, advice_verdict, overall
from akrig.paper.sensitivity.figure import Dependence, sensitivity_figure
from akrig.paper.writing import (
    GroupedRows,
    ReportTable,
    add_figure,
    write_csv,
    write_markdown,
    write_page,
)
from akrig.plots import page
from akrig.study.definition import Study
from akrig.study.results import Results

_MAIN = ("smse", "msll")
_CAPTION = (
    "Averaged over the mission; mean over seeds, the band is one standard deviation to either side. Lower is better. "
    "The dashed line is the value that the benchmark uses. Shortest and longest lengthscale are in normalised units, "
    "in which the pilot survey is two wide."
)
_CLOSER = (
    "The same, less what the best value of the factor reaches on each field: the price of another choice. Each panel "
    "has a scale of its own."
)
_NOTE = "Averaged over the mission, then mean ± standard deviation over seeds. Less is better; the best value is bold."


def write_sensitivity(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, a figure per metric, and the page; returns what to say in the terminal."""
    sensitivity = Sensitivity(results)
    verdicts = [found for factor in sensitivity.factors if (found := advice_verdict(sensitivity, factor)) is not None]
    sentences = [overall(verdicts), *map(str, verdicts)]
    _write_tables(folder, study, sensitivity, sentences)
    main = [metric for metric in sensitivity.metrics if metric in _MAIN]
    others = [metric for metric in sensitivity.metrics if metric not in _MAIN]
    parts = [
        *(page.paragraph(sentence, kind="lead" if place == 0 else "") for place, sentence in enumerate(sentences)),
        *(_part(sensitivity, metric, folder) for metric in main),
        page.section(
            "Other metrics", [page.details(METRICS[metric].label, _tables(sensitivity, metric)) for metric in others]
        ),
    ]
    return [*sentences, write_page(study, results, folder, parts)]


def _part(sensitivity: Sensitivity, metric: str, folder: Path) -> str:
    panels: dict[str, dict[str, Dependence]] = {}
    for factor in sensitivity.factors:
        lines = {field: sensitivity.dependence(factor, field, metric) for field in sensitivity.fields}
        panels[FACTORS[factor].title] = {field: line for field, line in lines.items() if line is not None}
    usual = {FACTORS[factor].title: FACTORS[factor].usual for factor in sensitivity.factors}
    name = METRICS[metric].label
    figure = sensitivity_figure(panels, name=name, usual=usual)
    shown = add_figure(folder, f"sensitivity-{metric}", figure, alt=f"{name} by factor", caption=_CAPTION)
    changes = {factor: {field: line.above_best() for field, line in lines.items()} for factor, lines in panels.items()}
    closer = sensitivity_figure(changes, name=f"{name} above best", usual=usual, one_scale=False)
    alt, caption = f"{name} above each field's best by factor", _CLOSER
    zoomed = add_figure(folder, f"sensitivity-{metric}-above-best", closer, alt=alt, caption=caption)
    return page.section(name, [shown, zoomed, *_tables(sensitivity, metric)])


def _tables(sensitivity: Sensitivity, metric: str) -> list[str]:
    return [page.paragraph(_NOTE), page.study_table(_table(sensitivity, metric))]


def _table(sensitivity: Sensitivity, metric: str) -> ReportTable:
    """A row per factor and value, a column per field, and their mean."""
    rows, entry = GroupedRows(), METRICS[metric]
    for factor in sensitivity.factors:
        values = sensitivity.values(factor)
        rows.begin(FACTORS[factor].title, [f"{value:g}" for value in values])
        for field in sensitivity.fields:
            column = [sensitivity.score(factor, value, field, metric) for value in values]
            best = best_of([score and score.mean for score in column], entry)
            rows.add([plus_minus(score, metric) for score in column], best)
        means = [sensitivity.over_fields(factor, value, metric) for value in values]
        rows.add([metric_number(mean, metric) for mean in means], best_of(means, entry))
    return rows.table(["Factor", "Value", *sensitivity.fields, "Mean"])


def _write_tables(folder: Path, study: Study, sensitivity: Sensitivity, sentences: Sequence[str]) -> None:
    lines = [
        [factor, value, field, metric, score.mean, score.std, score.num_seeds]
        for metric in sensitivity.metrics
        for factor in sensitivity.factors
        for value in sensitivity.values(factor)
        for field in sensitivity.fields
        if (score := sensitivity.score(factor, value, field, metric)) is not None
    ]
    write_csv(folder, "sensitivity", ["factor", "value", "field", "metric", "mean", "std", "seeds"], lines)
    parts: list[str | ReportTable] = [f"# {study.title}", *sentences, _NOTE]
    for metric in sensitivity.metrics:
        parts += [f"## {METRICS[metric].label}", _table(sensitivity, metric)]
    write_markdown(folder, "sensitivity", parts)
