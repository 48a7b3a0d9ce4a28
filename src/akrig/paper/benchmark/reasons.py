"""Why a number may differ from the paper's: what the numbers themselves say, then what is known of the kernel."""

import math
from collections.abc import Mapping

from akrig.paper.benchmark.comparison import WITHIN, Cell, Published
from akrig.paper.words import signed
from akrig.study.summary import Key

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


def likely_reason(cell: Cell, paper: Mapping[Key, Published]) -> str:
    """The likeliest, in a few words, with the numbers behind it.

    Args:
        paper: all published numbers; those of the same row can tell of misprints.
    """
    words = [_lost_digit(cell, paper) or _rounding(cell) or _wider_spread(cell)]
    if cell.key[2] in OTHER_MODELS:
        words.append(OTHER_MODELS[cell.key[2]][0])
    found = "; ".join(word for word in words if word) or UNEXPLAINED
    return f"{found[0].upper()}{found[1:]}. {_size(cell)}"


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
