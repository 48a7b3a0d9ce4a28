"""The ablation study: what selecting lengthscales and selecting instances each bring."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from akrig.metric_parts import METRICS
from akrig.paper.benchmark.data import Benchmark
from akrig.paper.benchmark.figures import Band
from akrig.paper.benchmark.files import SCORES_NOTE, write_pairings_csv
from akrig.paper.benchmark.tables import benchmark_table, pairings_table, scores_csv
from akrig.paper.writing import add_figure, signed, write_csv, write_markdown, write_page
from akrig.plots import page
from akrig.plots.formatting import percent
from akrig.plots.style import light_grid, marks, style
from akrig.study.definition import Study
from akrig.study.pairing import Pairing, pairings
from akrig.study.results import Results
from akrig.words import capital, joined, plural

_MAIN = ("smse", "msll")
_PAIRS = (
    "{reference} against each other variant on the same seeds: seeds won, and the mean difference, below zero where it "
    "is better. Bold: better, \u2020: worse, with p < 0.05 in a paired t-test after Holm's correction."
)
_WITHOUT = {
    "Mask": "without lengthscale selection (Mask)",
    "Weight": "without instance selection (Weight)",
    "NNx2": "with two networks instead of one (NNx2)",
}
_SPREAD = 0.22  # to either side of a variant's place, so that seeds do not hide one another
_LATER = 0.1  # share of the mission after which values must fit into the panel
_PATTERNS = ("-", (0, (1, 1)), (0, (5, 2)), (0, (3, 1, 1, 1)))


def write_ablation(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, figures and the page; returns what to say in the terminal."""
    benchmark = Benchmark(study, results)
    variants = benchmark.names("kernel")
    reference = "Full" if "Full" in variants else benchmark.reference
    pairs = pairings(benchmark.table, reference)
    sentences = sentences_about(pairs, reference)
    _write_tables(folder, study, benchmark, pairs, reference)
    parts = [page.paragraph(said, kind="lead" if place == 0 else "") for place, said in enumerate(sentences)]
    for strategy in benchmark.names("strategy"):
        figures = [_points(benchmark, strategy, folder), _curves(benchmark, strategy, folder)]
        parts.append(page.section(f"Variants, {strategy} sampling", figures))
        table = benchmark_table(benchmark, strategy, benchmark.metrics)
        parts.append(page.section("Scores", [page.paragraph(SCORES_NOTE), page.study_table(table)]))
    if pairs:
        note, table = _PAIRS.format(reference=reference), pairings_table(pairs, benchmark.metrics)
        parts.append(page.section("Seed by seed", [page.paragraph(note), page.study_table(table)]))
    return [*sentences, write_page(study, results, folder, parts)]


def _points(benchmark: Benchmark, strategy: str, folder: Path) -> str:
    panels: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    for metric in (metric for metric in _MAIN if metric in benchmark.metrics):
        for field in benchmark.names("field"):
            cell = benchmark.table.sel(strategy=strategy, field=field, metric=metric)
            seeds = {kernel: cell.sel(kernel=kernel).to_numpy() for kernel in benchmark.names("kernel")}
            known = {kernel: values[np.isfinite(values)] for kernel, values in seeds.items()}
            panels.setdefault(METRICS[metric].label, {})[field] = known
    figure = variants_figure(panels, variants=benchmark.names("kernel"))
    caption = "Averaged over the mission. Each point is a seed, the line is their mean. Lower is better."
    return add_figure(folder, f"ablation-{strategy}", figure, alt="SMSE and MSLL of each variant", caption=caption)


def _curves(benchmark: Benchmark, strategy: str, folder: Path) -> str:
    panels: dict[str, dict] = {}
    for (found, field, kernel, metric), curve in benchmark.curves.items():
        if found == strategy and metric == "msll":
            panels.setdefault(field, {})[kernel] = (curve.samples, curve.mean, curve.std)
    if not panels:
        return ""
    figure = variant_curves_figure(panels, variants=benchmark.names("kernel"), name="MSLL")
    caption = "Mean over seeds; the band is one standard deviation to either side. Lower is better."
    return add_figure(folder, f"ablation-curves-{strategy}", figure, alt="MSLL against readings", caption=caption)


def sentences_about(pairs: list[Pairing], reference: str) -> list[str]:
    """Each variant against the whole kernel, and the answer to the paper's question."""
    if not pairs:
        return ["There are too few runs to compare variants seed by seed."]
    variants = list(dict.fromkeys(pair.other for pair in pairs))
    said = [sentence for variant in variants if (sentence := _about(pairs, variant, reference))]
    return [*_necessity(pairs, reference), *said]


def _about(pairs: list[Pairing], variant: str, reference: str) -> str:
    fields = list(dict.fromkeys(pair.field for pair in pairs))
    parts = []
    for metric in _MAIN:
        members = [pair for pair in pairs if pair.other == variant and pair.metric == metric]
        if not members:
            continue
        change = -float(np.mean([pair.difference for pair in members]))
        won, total = sum(pair.won for pair in members), sum(pair.num_seeds for pair in members)
        word = "higher" if change > 0 else "lower"
        size = signed(abs(change), digits=4 if metric == "smse" else 3)
        significant = sum(pair.is_better for pair in members), sum(pair.is_worse for pair in members)
        parts.append(
            f"{METRICS[metric].label} is {size} {word} on average ({reference} wins {won} of "
            f"{plural(total, 'pair')}; it is "
            f"significantly better on {significant[0]} and worse on {significant[1]} of {plural(len(fields), 'field')})"
        )
    return f"{capital(_WITHOUT.get(variant, f'with {variant}'))}, {joined(parts)}." if parts else ""


def _necessity(pairs: list[Pairing], reference: str) -> list[str]:
    """Whether lengthscale selection is necessary, which is what the paper concludes."""
    lost = {metric: [p for p in pairs if p.other == "Mask" and p.metric == metric] for metric in _MAIN}
    if not all(lost.values()):
        return []
    won, total = (
        sum(getattr(pair, name) for members in lost.values() for pair in members) for name in ("won", "num_seeds")
    )
    worse = all(pair.difference < 0 for members in lost.values() for pair in members)
    if worse and won >= 0.9 * total:
        share = percent(won / total)
        return [f"Lengthscale selection is necessary, as in the paper: {reference} beats Mask in {share} of pairs."]
    if won > total / 2:
        return [f"Lengthscale selection helps in most pairs ({percent(won / total)}), not in all."]
    return ["That lengthscale selection is necessary, as the paper concludes, does not show in these runs."]


def _write_tables(folder: Path, study: Study, benchmark: Benchmark, pairs: list[Pairing], reference: str) -> None:
    names = ["strategy", "field", "variant", "metric", "mean", "std", "seeds"]
    write_csv(folder, "ablation", names, scores_csv(benchmark.scores))
    parts: list = [f"# {study.title}", *sentences_about(pairs, reference), SCORES_NOTE]
    for strategy in benchmark.names("strategy"):
        parts += [f"## {strategy}", benchmark_table(benchmark, strategy, benchmark.metrics)]
    if pairs:
        write_pairings_csv(folder, pairs, reference=reference, called="variant")
        parts += ["## Seed by seed", _PAIRS.format(reference=reference), pairings_table(pairs, benchmark.metrics)]
    write_markdown(folder, "ablation", parts)


def variants_figure(panels: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]], *, variants: Sequence[str]) -> Figure:
    """A row per score, a column per field: each seed as a point, the mean as a line.

    Args:
        panels: values of all seeds, by score, field and variant.
    """
    looks = marks(variants)
    fields = list(dict.fromkeys(field for by_field in panels.values() for field in by_field))
    with style():
        size = (max(2.4 * len(fields), 3.4) + 0.2, 2.2 * len(panels) + 0.3)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(panels), len(fields), squeeze=False)
        for i, (score, by_field) in enumerate(panels.items()):
            for j, field in enumerate(fields):
                _draw_points(axes[i, j], by_field.get(field, {}), variants, looks)
                axes[i, j].set_title(field if i == 0 else "")
                axes[i, j].set_ylabel(score if j == 0 else "")
    return figure


def _draw_points(
    axis: Axes, values: Mapping[str, np.ndarray], variants: Sequence[str], looks: Mapping[str, dict]
) -> None:
    for place, variant in enumerate(variants):
        seeds = values.get(variant, np.empty(0))
        if not len(seeds):
            continue
        aside = np.linspace(-_SPREAD, _SPREAD, len(seeds)) if len(seeds) > 1 else np.zeros(1)
        spots = {"linestyle": "none", "markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axis.plot(place + aside, seeds, alpha=0.75, **looks[variant], **spots)
        axis.hlines(seeds.mean(), place - 0.34, place + 0.34, color=looks[variant]["color"], linewidth=2.2, zorder=3)
    axis.set_xticks(range(len(variants)), variants)
    axis.set_xlim(-0.6, len(variants) - 0.4)
    axis.yaxis.set_major_locator(MaxNLocator(5))
    light_grid(axis)


def variant_curves_figure(panels: Mapping[str, Mapping[str, Band]], *, variants: Sequence[str], name: str) -> Figure:
    """A panel per field: a score against the readings, mean and one standard deviation over seeds.

    Args:
        panels: by field and variant.
        name: of the score.
    """
    looks = marks(variants)
    lines = {
        variant: {"color": looks[variant]["color"], "linestyle": _PATTERNS[place % len(_PATTERNS)], "linewidth": 1.6}
        for place, variant in enumerate(variants)
    }
    columns = min(len(panels), 4)
    rows = -(-len(panels) // columns)
    with style():
        size = (max(2.5 * columns, 3.4) + 0.2, 2.3 * rows + 0.4)
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, (axis, (field, curves)) in enumerate(zip(axes, panels.items(), strict=False)):
            _draw_curves(axis, curves, lines)
            axis.set(title=field, xlabel="readings", ylabel=name if place % columns == 0 else "")
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        handles = [Line2D([], [], label=variant, **lines[variant]) for variant in variants]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(variants), handlelength=3)
    return figure


def _draw_curves(axis: Axes, curves: Mapping[str, Band], lines: Mapping[str, dict]) -> None:
    later = []
    for variant, (samples, mean, std) in curves.items():
        axis.fill_between(samples, mean - std, mean + std, color=lines[variant]["color"], alpha=0.15, linewidth=0)
        axis.plot(samples, mean, **lines[variant])
        settled = samples >= samples[0] + _LATER * (samples[-1] - samples[0])
        later += [(mean - std)[settled], (mean + std)[settled]]
    values = np.concatenate(later) if later else np.empty(0)
    if len(values) and np.isfinite(values).all() and np.ptp(values) > 0:
        margin = 0.06 * np.ptp(values)
        axis.set_ylim(values.min() - margin, values.max() + 4 * margin)
    axis.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(5))
    light_grid(axis)
