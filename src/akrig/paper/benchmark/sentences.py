"""What a benchmark's numbers say, and why one may differ from the paper's, in sentences that follow from them."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from akrig.paper.benchmark.comparison import WITHIN, Cell, Published, Ranking, best_kernels
from akrig.paper.writing import signed
from akrig.plots.formatting import kernel_words, percent
from akrig.study.pairing import Pairing
from akrig.study.summary import Key, Score
from akrig.words import are, capital, plural, span

_PERCENT = "\u00a0%"
# Of kernels that are not quite the authors': a few words for every cell, and what is behind them.
OTHER_MODELS = {
    "gibbs": (
        "the authors' Gibbs kernel has another exponent",
        "The authors' package multiplies the Gibbs kernel's exponent by the dimension: in two dimensions correlation "
        "reaches less far, by the square root of two, than in the kernel that the paper describes, which is ours.",
    ),
}
UNEXPLAINED = "not explained: as far as is known the model is the same"
NOTE = (  # of means over several seeds
    "Chance alone hardly moves a mean over several seeds by three standard deviations of one seed: most of these are "
    "true differences, or the paper's standard deviation is not what it seems."
)
_TOO_NARROW = 3.0  # a printed standard deviation less than a third of what another metric implies
_WIDER = 1.5


def who_won(scores: Mapping[Key, Score], reference: str) -> str:
    """In how many cells the reference kernel is best, and who is in the others."""
    best = best_kernels(scores, reference)
    if not best:
        return f"All runs are with {kernel_words(reference)}: there is no other to compare it with."
    counts = Counter(best.values())
    ours = counts.pop(reference, 0)
    of = f"{plural(len(best), 'cell')} (field, strategy and metric)"
    begin = f"{capital(kernel_words(reference))} is best in {ours} of {of}"
    others = ", ".join(f"{kernel} in {count}" for kernel, count in counts.most_common())
    return f"{begin}; {others}." if others else f"{begin}."


def by_how_much(scores: Mapping[Key, Score], reference: str) -> str:
    """SMSE and MSLL of the reference kernel beside the best of the others."""
    margins = {metric: _margins(scores, reference, metric) for metric in ("smse", "msll")}
    parts = [_margin_words(metric, found) for metric, found in margins.items() if found]
    if not parts:
        return ""
    return (
        f"Compared with the best other kernel on each field, {' and '.join(parts)}: medians over fields and strategies."
    )


def _margins(scores: Mapping[Key, Score], reference: str, metric: str) -> list[float]:
    """By field and strategy, less the best other kernel; SMSE as a share of it. Below zero the reference is better."""
    groups: dict[tuple[str, str], dict[str, float]] = {}
    for (strategy, field, kernel, found), score in scores.items():
        if found == metric:
            groups.setdefault((strategy, field), {})[kernel] = score.mean
    margins = []
    for means in groups.values():
        ours = means.pop(reference, None)
        if ours is not None and means:
            least = min(means.values())
            margins.append((ours - least) / least if metric == "smse" else ours - least)
    return margins


def _margin_words(metric: str, margins: Sequence[float]) -> str:
    middle = median(margins)
    word = "lower" if middle < 0 else "higher"
    if metric == "smse":
        low, high = (f"{100 * value:+.0f}".replace("-", "\u2212") for value in (min(margins), max(margins)))
        return f"its SMSE is {percent(abs(middle))} {word} ({_range(low, high, units=_PERCENT)})"
    low, high = (f"{value:+.2f}".replace("-", "\u2212") for value in (min(margins), max(margins)))
    return f"its MSLL is {abs(middle):.2f} {word} ({_range(low, high)})"


def _range(low: str, high: str, *, units: str = "") -> str:
    """From the worst to the best field and strategy, or what it is on the only one."""
    return f"{'' if low == high else 'from '}{span(low, high, units=units)}"


def seeds_won(pairings: Sequence[Pairing]) -> str:
    if not pairings:
        return ""
    won, total = sum(p.won for p in pairings), sum(p.num_seeds for p in pairings)
    better, worse = sum(p.is_better for p in pairings), sum(p.is_worse for p in pairings)
    return (
        f"Seed by seed it is the better one in {won} of {plural(total, 'comparison')} with another kernel "
        f"({percent(won / total)}); it is significantly better in {better} of {plural(len(pairings), 'test')}, "
        f"significantly worse in {worse}."
    )


def beside_the_paper(cells: Sequence[Cell], rankings: Sequence[Ranking]) -> str:
    if not cells:
        return ""
    within = sum(cell.is_within for cell in cells)
    both = plural(len(cells), "number")
    text = f"Of {both} that the paper prints too, {within} {are(within)} within three of its standard deviations"
    far = [cell for cell in cells if not cell.is_within]
    if far:
        better = sum(cell.difference < 0 for cell in far)
        text += f" (of the other {len(far)}, {better} better and {len(far) - better} worse)"
    if rankings:
        best, order = sum(r.same_best for r in rankings), sum(r.same_order for r in rankings)
        of = plural(len(rankings), "cell")
        text += f"; the best kernel is the paper's in {best} of {of}, the whole order in {order}"
    return text + "."


def about_calibration(scores: Mapping[Key, Score], reference: str) -> str:
    """How far the 95 % intervals are from their promise, and whether errors are where the map says."""
    kernels = list(dict.fromkeys(kernel for _, _, kernel, metric in scores if metric in ("coverage95", "correlation")))
    if reference not in kernels:
        return ""
    covered, follows = (
        {kernel: fmean(scores[key].mean for key in scores if key[2:] == (kernel, metric)) for kernel in kernels}
        for metric in ("coverage95", "correlation")
    )
    others = "; ".join(
        f"{kernel} {percent(covered[kernel])} and {follows[kernel]:.2f}" for kernel in kernels if kernel != reference
    )
    rest = f" ({others})" if others else ""
    return (
        f"95 % intervals of {kernel_words(reference)} hold {percent(covered[reference])} of the truth, and the "
        f"correlation of its errors with its standard deviations is {follows[reference]:.2f}{rest}."
    )


def likely_reason(cell: Cell, paper: Mapping[Key, Published]) -> str:
    """The likeliest, in a few words, with the numbers behind it.

    Args:
        paper: all published numbers; those of the same row can tell of misprints.
    """
    words = [_lost_digit(cell, paper) or _rounding(cell) or _wider_spread(cell)]
    if cell.key[2] in OTHER_MODELS:
        words.append(OTHER_MODELS[cell.key[2]][0])
    found = "; ".join(word for word in words if word) or UNEXPLAINED
    return f"{capital(found)}. {_size(cell)}"


def _lost_digit(cell: Cell, paper: Mapping[Key, Published]) -> str:
    """SMSE is RMSE squared by a constant: it has twice the relative spread."""
    strategy, field, kernel, metric = cell.key
    rmse = paper.get((strategy, field, kernel, "rmse"))
    if metric != "smse" or rmse is None:
        return ""
    implied = 2 * rmse.std / rmse.mean * cell.theirs.mean
    if implied < _TOO_NARROW * cell.theirs.spread or abs(cell.difference) > WITHIN * implied:
        return ""
    return (
        f"the printed standard deviation does not fit the same row's RMSE, {rmse}, which implies {implied:.2g}: a "
        f"digit seems lost, and the difference is {signed(cell.difference / implied, digits=1, plus=True)}"
    )


def _rounding(cell: Cell) -> str:
    if cell.least_z > WITHIN:
        return ""
    return f"the paper's digits are few: before rounding, the difference may have been as small as {cell.least_z:.1f}"


def _wider_spread(cell: Cell) -> str:
    if not cell.ours.std > _WIDER * cell.theirs.spread or abs(cell.difference) > WITHIN * cell.ours.std:
        return ""
    return (
        f"seeds scatter more than in the paper, by {cell.ours.std / cell.theirs.spread:.1f} times: in our own standard "
        f"deviations the difference is {signed(cell.difference / cell.ours.std, digits=1, plus=True)}"
    )


def _size(cell: Cell) -> str:
    word = "better" if cell.difference < 0 else "worse"
    share = abs(cell.difference / cell.theirs.mean) if cell.theirs.mean else math.inf
    return f"Ours is {word} by {100 * share:.1f}\u00a0%."
