"""The benchmark's report: tables as in the paper, curves, comparison with it, paired tests, calibration."""

from pathlib import Path

from akrig.metric_parts import METRICS
from akrig.paper.benchmark import comparison_tables
from akrig.paper.benchmark import sentences as words
from akrig.paper.benchmark import tables as tables
from akrig.paper.benchmark.comparison import WITHIN, best_kernels
from akrig.paper.benchmark.data import CURVES, Benchmark
from akrig.paper.benchmark.figures import benchmark_curves_figure, differences_figure
from akrig.paper.benchmark.files import SCORES_NOTE, own_tables, write_files
from akrig.paper.scoring import scoring_part
from akrig.paper.writing import add_figure, write_page
from akrig.plots import page
from akrig.plots.formatting import percent
from akrig.study.definition import Study
from akrig.study.results import Results

_CALIBRATION_NOTE = (
    "Intervals, which are of noisy readings, should hold as much of the truth as they promise, or a little more; "
    "errors should be large where the predicted standard deviation is (correlation); the CRPS, which has units, is "
    "here a multiple of {reference}'s and should be small. All are averaged over the mission, the seeds and the fields."
)
_DIFFERENCES_CAPTION = (
    "Our mean less the paper's, in the paper's standard deviations. Less is better in every metric: blue is better "
    "than the paper, red is worse; what is farther than three is framed."
)


def write_benchmark(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, figures and the page; returns what to say in the terminal."""
    if not len(results):
        write_page(study, results, folder, [])
        return [f"There are no results yet: {folder / 'report.html'}"]
    benchmark = Benchmark(study, results)
    write_files(benchmark, folder)
    parts = [
        page.paragraph(" ".join(_who_won(benchmark)), kind="lead"),
        *map(page.paragraph, _how_sure(benchmark)),
        page.tiles(_tiles(benchmark)),
        *(_strategy(benchmark, place, folder) for place in range(len(benchmark.names("strategy")))),
        page.section("Beside the paper", _paper(benchmark, folder)),
        page.section("Seed by seed", _seed_by_seed(benchmark)),
        page.section("Can the uncertainty be trusted?", _calibration(benchmark)),
        page.section("Your own metrics", _own(benchmark)),
        page.section("How often maps were scored", scoring_part(study, folder)),
    ]
    return [*_who_won(benchmark), *_how_sure(benchmark), write_page(study, results, folder, parts)]


def _who_won(benchmark: Benchmark) -> list[str]:
    scores, reference = benchmark.scores, benchmark.reference
    return [said for said in (words.who_won(scores, reference), words.by_how_much(scores, reference)) if said]


def _how_sure(benchmark: Benchmark) -> list[str]:
    beside = words.beside_the_paper(benchmark.cells, benchmark.rankings)
    return [said for said in (words.seeds_won(benchmark.pairings), beside) if said]


def _tiles(benchmark: Benchmark) -> list[tuple[str, str, str]]:
    best, tiles = best_kernels(benchmark.scores, benchmark.reference), []
    if best:
        count = sum(kernel == benchmark.reference for kernel in best.values())
        tiles.append(
            (f"{benchmark.reference.capitalize()} best", f"{count} of {len(best)}", "cells: field, strategy, metric")
        )
    if benchmark.pairings:
        won, total = sum(p.won for p in benchmark.pairings), sum(p.num_seeds for p in benchmark.pairings)
        better = sum(p.is_better for p in benchmark.pairings)
        tiles.append(("Pairs of runs won", percent(won / total), "same seed, another kernel"))
        tiles.append(("Significantly better", f"{better} of {len(benchmark.pairings)}", "paired tests, corrected"))
    if benchmark.cells:
        within = sum(cell.is_within for cell in benchmark.cells)
        tiles.append(("As in the paper", f"{within} of {len(benchmark.cells)}", "within three standard deviations"))
    if benchmark.rankings:
        same = sum(ranking.same_best for ranking in benchmark.rankings)
        tiles.append(("Same best kernel", f"{same} of {len(benchmark.rankings)}", "cells, as in the paper"))
    return tiles


def _strategy(benchmark: Benchmark, place: int, folder: Path) -> str:
    strategy = benchmark.names("strategy")[place]
    number = benchmark.number_of(strategy)
    table = tables.benchmark_table(benchmark, strategy, benchmark.metrics)
    beneath = " Beneath: the paper's, and the difference in its standard deviations." if table.notes else ""
    parts = [page.paragraph(SCORES_NOTE + beneath), page.study_table(table), _curves(benchmark, strategy, folder)]
    return page.section(f"Table {number}: {tables.strategy_words(strategy)}", parts)


def _curves(benchmark: Benchmark, strategy: str, folder: Path) -> str:
    panels: dict[tuple[str, str], dict] = {}
    for (found, field, kernel, metric), curve in benchmark.curves.items():
        if found == strategy:
            panels.setdefault((metric, field), {})[kernel] = (curve.samples, curve.mean, curve.std)
    rows = {metric: name for metric, name in CURVES.items() if any(found == metric for found, _ in panels)}
    if not rows:
        return ""
    figure = benchmark_curves_figure(panels, rows=rows, columns=benchmark.names("field"))
    alt = f"{' and '.join(rows.values())} against the number of readings: {tables.strategy_words(strategy)}"
    caption = "Mean over seeds; the band is one standard deviation to either side. Lower is better."
    return add_figure(folder, f"curves-{strategy}", figure, alt=alt, caption=caption)


def _paper(benchmark: Benchmark, folder: Path) -> list[str]:
    if not benchmark.cells:
        return [page.paragraph("The paper's tables hold none of these runs: there is nothing to compare with.")]
    parts = []
    if benchmark.changed:
        parts.append(
            page.notice(f"The paper's experiment did not have these settings: {', '.join(benchmark.changed)}.")
        )
    parts.append(_differences(benchmark, folder))
    if benchmark.rankings:
        parts.append(page.study_table(comparison_tables.rankings_table(benchmark.rankings, benchmark.reference)))
        orders = comparison_tables.orders_table(benchmark.rankings)
        if orders.rows:
            parts.append(page.details(f"Cells whose order differs ({len(orders.rows)})", [page.study_table(orders)]))
    reasons = comparison_tables.reasons_table(benchmark.cells)
    if reasons.rows:
        parts.append(page.paragraph(f"Farther than three of the paper's standard deviations ({len(reasons.rows)}):"))
        parts += map(page.paragraph, comparison_tables.reasons_notes(benchmark.cells))
        parts.append(page.study_table(reasons))
    return parts


def _differences(benchmark: Benchmark, folder: Path) -> str:
    rows: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for metric in benchmark.metrics:
        for cell in (cell for cell in benchmark.cells if cell.key[3] == metric):
            strategy, field, kernel, _ = cell.key
            rows.setdefault((strategy, field), {})[METRICS[metric].label, kernel] = cell.z
    figure = differences_figure(rows, within=WITHIN)
    return add_figure(
        folder, "differences", figure, alt="Differences from the paper", caption=_DIFFERENCES_CAPTION, is_compact=False
    )


def _seed_by_seed(benchmark: Benchmark) -> list[str]:
    if not benchmark.pairings:
        return []
    note = tables.pairings_note(benchmark.pairings, benchmark.reference)
    return [page.paragraph(note), page.study_table(tables.pairings_table(benchmark.pairings, benchmark.metrics))]


def _calibration(benchmark: Benchmark) -> list[str]:
    metrics = benchmark.calibration_metrics
    if not metrics:
        return []
    by_field = []
    for strategy in benchmark.names("strategy"):
        by_field.append(page.paragraph(tables.strategy_words(strategy).capitalize()))
        by_field.append(page.study_table(tables.benchmark_table(benchmark, strategy, metrics)))
    said = words.about_calibration(benchmark.scores, benchmark.reference)
    return [
        page.paragraph(f"{said} {_CALIBRATION_NOTE.format(reference=benchmark.reference)}".strip()),
        page.study_table(tables.calibration_table(benchmark)),
        page.details("Field by field", by_field),
    ]


def _own(benchmark: Benchmark) -> list[str]:
    return [
        page.paragraph(part.lstrip("# ").capitalize()) if isinstance(part, str) else page.study_table(part)
        for part in (own_tables(benchmark) if benchmark.own_metrics else [])
    ]
