"""The benchmark's tables as they are shown."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from akrig.metric_parts import MetricPart, metric_named
from akrig.paper.benchmark.data import Benchmark
from akrig.paper.writing import GroupedRows, Place, ReportTable, signed
from akrig.parts import STRATEGIES, find
from akrig.plots.formatting import MISSING, best_places
from akrig.study.pairing import Pairing
from akrig.study.summary import Key, Score


def metric_number(value: float, metric: str, *, size: float | None = None, sign: bool = False) -> str:
    """With the metric's decimals; those in units by their size."""
    if not math.isfinite(value):
        return MISSING
    entry = metric_named(metric)
    if entry.is_share:
        return f"{100 * value:.1f}\u00a0%"
    size = abs(value) if size is None else abs(size)
    magnitude = math.floor(math.log10(size)) if size > 0 else 0
    in_units = 2 - magnitude if magnitude < 0 else max(0, min(2, 4 - magnitude))
    decimals = in_units if entry.decimals is None else entry.decimals
    shown = f"{value:{'+' if sign else ''}.{decimals}f}"
    return shown.replace("-", "\u2212")


def strategy_words(strategy: str) -> str:
    return find(STRATEGIES, strategy).phrase or strategy


def in_stds(z: float) -> str:
    """A difference in the paper's standard deviations."""
    return signed(z, digits=1, plus=True)


def scores_csv(scores: Mapping[Key, Score]) -> list[list[object]]:
    """Long: strategy, field, kernel, metric, mean, std, seeds."""
    return [[*key, score.mean, score.std, score.num_seeds] for key, score in scores.items()]


def benchmark_table(benchmark: Benchmark, strategy: str, metrics: Sequence[str]) -> ReportTable:
    """As in the paper: a row for each field and kernel, mean and standard deviation over seeds, the best in bold.

    Beneath a number, the paper's, and the difference in its standard deviations.
    """
    rows, notes, far = GroupedRows(), dict[Place, str](), set[Place]()
    for field in benchmark.names("field"):
        kernels = benchmark.kernels_of(strategy, field)
        rows.begin(field, kernels)
        for metric in metrics:
            keys = [(strategy, field, kernel, metric) for kernel in kernels]
            column = [benchmark.scores.get(key) for key in keys]
            means = [score and score.mean for score in column]
            rows.add([plus_minus(score, metric) for score in column], best_of(means, benchmark.entry(metric)))
            for member, key in enumerate(keys):
                if (cell := benchmark.cell_at.get(key)) is not None:
                    notes[rows.place(member)] = f"{cell.theirs} ({in_stds(cell.z)})"
                    far |= set() if cell.is_within else {rows.place(member)}
    heads = ["Field", "Kernel", *(benchmark.entry(metric).label for metric in metrics)]
    return rows.table(heads, notes=notes, marked=frozenset(far))


def plus_minus(score: Score | None, metric: str) -> str:
    if score is None:
        return MISSING
    shown = metric_number(score.mean, metric)
    if not math.isfinite(score.mean + score.std) or metric_named(metric).is_share:
        return shown
    return f"{shown} ± {metric_number(score.std, metric, size=score.mean)}"


def best_of(column: Sequence[float | None], metric: MetricPart) -> set[int]:
    return best_places([None if value is None or not math.isfinite(value) else value for value in column], metric.goal)


def pairings_table(pairings: Sequence[Pairing], metrics: Sequence[str]) -> ReportTable:
    """Seeds won by the reference kernel and the mean difference; bold where it is significantly better."""
    groups: dict[tuple[str, str, str], dict[str, Pairing]] = {}
    for p in pairings:
        groups.setdefault((p.strategy, p.field, p.other), {})[p.metric] = p
    rows, best, above = [], set(), ("", "")
    for i, (key, members) in enumerate(groups.items()):
        row = [key[0] if key[:1] != above[:1] else "", key[1] if key[:2] != above else "", key[2]]
        for j, metric in enumerate(metrics, start=3):
            pairing = members.get(metric)
            row.append(MISSING if pairing is None else _won(pairing))
            best |= {(i, j)} if pairing is not None and pairing.is_better else set()
        rows.append(row)
        above = key[:2]
    heads = ["Strategy", "Field", "Against", *(metric_named(metric).label for metric in metrics)]
    return ReportTable(heads, rows, names=3, best=frozenset(best))


def _won(pairing: Pairing) -> str:
    worse = "\u00a0\u2020" if pairing.is_worse else ""
    difference = metric_number(pairing.difference, pairing.metric, sign=True)
    return f"{pairing.won}/{pairing.num_seeds}, {difference}{worse}"


def pairings_note(pairings: Sequence[Pairing], reference: str) -> str:
    seeds = max(pairing.num_seeds for pairing in pairings)
    return (
        f"The {reference} kernel against each other on the same seeds, hence the same pilot surveys: seeds won, and "
        "the mean difference, below zero where it is better. Bold: better, \u2020: worse, with p < 0.05 in a paired "
        f"t-test after Holm's correction over all {len(pairings)} tests. The CSV also has the exact Wilcoxon "
        f"signed-rank test, whose p cannot be less than {2 / 2**seeds:.2g} with {seeds} seeds."
    )


def calibration_table(benchmark: Benchmark) -> ReportTable:
    """By strategy and kernel, over all fields; the CRPS, which has units, as a multiple of the reference kernel's."""
    rows, entries = GroupedRows(), [metric_named(metric) for metric in benchmark.calibration_metrics]
    for strategy in benchmark.names("strategy"):
        present = {kernel for found, _, kernel, _ in benchmark.scores if found == strategy}
        kernels = [kernel for kernel in benchmark.names("kernel") if kernel in present]
        rows.begin(strategy, kernels)
        for entry in entries:
            column = [over_fields(benchmark, strategy, kernel, entry.name) for kernel in kernels]
            rows.add([_mean_shown(value, entry) for value in column], best_of(column, entry))
    return rows.table(
        ["Strategy", "Kernel", *(entry.label + (" ratio" if entry.has_units else "") for entry in entries)]
    )


def over_fields(benchmark: Benchmark, strategy: str, kernel: str, metric: str) -> float | None:
    """The mean over fields; of a metric with units, of its ratio to the reference kernel's."""
    values = []
    for field in benchmark.names("field"):
        ours = benchmark.scores.get((strategy, field, kernel, metric))
        reference = benchmark.scores.get((strategy, field, benchmark.reference, metric))
        if ours is not None and not metric_named(metric).has_units:
            values.append(ours.mean)
        elif ours is not None and reference is not None and reference.mean > 0:
            values.append(ours.mean / reference.mean)
    return fmean(values) if values else None


def _mean_shown(value: float | None, metric: MetricPart) -> str:
    if value is None:
        return MISSING
    return f"{value:.2f}" if metric.has_units else metric_number(value, metric.name)
