"""The benchmark's tables as files: CSV for programs, Markdown for people."""

from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path

from akrig.paper.benchmark import comparison_tables
from akrig.paper.benchmark import tables as tables
from akrig.paper.benchmark.data import Benchmark
from akrig.paper.writing import ReportTable, write_csv, write_markdown
from akrig.study.pairing import Pairing

KEY = ["strategy", "field", "kernel", "metric"]
SCORES_NOTE = "Averaged over the mission, then mean ± standard deviation over seeds. Less is better; the best is bold."


def write_files(benchmark: Benchmark, folder: Path) -> None:
    write_csv(folder, "benchmark", [*KEY, "mean", "std", "seeds"], tables.scores_csv(benchmark.scores))
    for strategy in benchmark.names("strategy"):
        number = benchmark.number_of(strategy)
        table = tables.benchmark_table(benchmark, strategy, benchmark.metrics)
        title = f"# Table {number}: {tables.strategy_words(strategy)}"
        write_markdown(folder, f"table-{number}-{strategy}", [title, SCORES_NOTE, table])
    if benchmark.calibration_metrics:
        parts = ["# Calibration", tables.calibration_table(benchmark)]
        for strategy in benchmark.names("strategy"):
            table = tables.benchmark_table(benchmark, strategy, benchmark.calibration_metrics)
            parts += [f"## {strategy}", table]
        write_markdown(folder, "calibration", parts)
    if benchmark.own_metrics:
        write_markdown(folder, "own", ["# Your own metrics", *own_tables(benchmark)])
    if benchmark.pairings:
        write_pairings_csv(folder, benchmark.pairings, reference=benchmark.reference)
        note = tables.pairings_note(benchmark.pairings, benchmark.reference)
        table = tables.pairings_table(benchmark.pairings, benchmark.metrics)
        write_markdown(folder, "paired", ["# Seed by seed", note, table])
    if benchmark.cells:
        _write_comparison(benchmark, folder)


def own_tables(benchmark: Benchmark) -> list[str | ReportTable]:
    """A heading and a table per strategy of what the study is scored by beside akrig's own metrics."""
    return [
        part
        for strategy in benchmark.names("strategy")
        for part in (
            f"## {tables.strategy_words(strategy)}",
            tables.benchmark_table(benchmark, strategy, benchmark.own_metrics),
        )
    ]


def write_pairings_csv(folder: Path, pairings: Iterable[Pairing], *, reference: str, called: str = "kernel") -> None:
    names = ["strategy", "field", "metric", called, "against", "won", "seeds", "difference"]
    rows = [astuple(pairing) for pairing in pairings]
    lines = [[*row[:3], reference, *row[3:]] for row in rows]
    write_csv(folder, "paired", [*names, "p_wilcoxon", "p_t", "p_t_holm"], lines)


def _write_comparison(benchmark: Benchmark, folder: Path) -> None:
    names = [*KEY, "mean", "std", "seeds", "paper_mean", "paper_std", "difference_in_paper_std", "within_three"]
    write_csv(folder, "comparison", names, comparison_tables.comparison_csv(benchmark.cells))
    note = "Differences are in the paper's standard deviations, below zero where ours is better; bold: beyond three."
    write_markdown(
        folder, "comparison", ["# Beside the paper", note, comparison_tables.comparison_table(benchmark.cells)]
    )
    reasons = comparison_tables.reasons_table(benchmark.cells)
    about = f"{len(reasons.rows)} of {len(benchmark.cells)} numbers are farther than three of its standard deviations."
    notes = comparison_tables.reasons_notes(benchmark.cells)
    write_markdown(
        folder, "reasons", ["# Where we differ from the paper", about, *notes, *([reasons] if reasons.rows else [])]
    )
    if benchmark.rankings:
        ranked = comparison_tables.rankings_csv(benchmark.rankings)
        columns = ["strategy", "field", "metric", "order", "paper_order", "same_best", "same_order", "kendall_tau"]
        write_csv(folder, "rankings", columns, ranked)
        agreement = comparison_tables.rankings_table(benchmark.rankings, benchmark.reference)
        write_markdown(
            folder, "rankings", ["# Rankings of kernels", agreement, comparison_tables.orders_table(benchmark.rankings)]
        )
