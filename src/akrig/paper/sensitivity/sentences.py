"""What a sensitivity study says about each factor, and whether the paper's advice holds."""

import math
from dataclasses import dataclass
from statistics import fmean

from akrig.paper.sensitivity.data import FACTORS, Sensitivity
from akrig.paper.writing import joined, signed
from akrig.words import plural

METRIC = "msll"
SMALL = 0.02  # of MSLL: less is no difference that one would choose a value for


@dataclass(frozen=True)
class Verdict:
    """On the advice about one factor.

    Args:
        means: MSLL by value, over all fields.
        advised, poor: values that follow the advice, and those that it warns of.
        gains: by how much MSLL is lower with the former than with the latter, by field.
    """

    factor: str
    means: dict[float, float]
    advised: list[float]
    poor: list[float]
    gains: dict[str, float]

    @property
    def best(self) -> float:
        return min(self.means, key=self.means.__getitem__)

    @property
    def gain(self) -> float:
        return fmean(self.gains.values())

    @property
    def holds(self) -> bool:
        """On every field, and by more than a trifle."""
        return self.gain > SMALL and all(gain > 0 for gain in self.gains.values())

    @property
    def spread(self) -> float:
        """How much it matters which of the advised values one takes."""
        chosen = [self.means[value] for value in self.advised]
        return max(chosen) - min(chosen)

    def __str__(self) -> str:
        wanted = FACTORS[self.factor]
        helped = sum(gain > 0 for gain in self.gains.values())
        best = f"the best is {self.best:g} (mean MSLL over fields {signed(self.means[self.best])})"
        verb = "is" if len(self.advised) == 1 else "are"
        direction = "better" if self.gain >= 0 else "worse"
        compared = (
            f"{_listed(self.advised)} {verb} {direction} than {_listed(self.poor)} by "
            f"{signed(abs(self.gain), digits=3)} on average, "
            f"and better on {helped} of {plural(len(self.gains), 'field')}"
        )
        within = f" Among the advised values MSLL varies by {signed(self.spread, digits=3)}." * (len(self.advised) > 1)
        return f"{wanted.title}: {best}; {compared}. {self._judgement(wanted.advice)}{within}"

    def _judgement(self, advice: str) -> str:
        if self.holds:
            return f"The paper's advice, {advice}, holds."
        against = [field for field, gain in self.gains.items() if gain <= 0]
        if self.gain > SMALL:
            return f"The paper's advice, {advice}, holds on average, but not on {joined(against)}."
        if self.gain > -SMALL:
            return f"The paper's advice, {advice}, does no harm, but it hardly matters here."
        return f"The paper's advice, {advice}, does not hold here."


def advice_verdict(sensitivity: Sensitivity, factor: str) -> Verdict | None:
    """Nothing unless some values follow the advice, some do not, and all fields have them."""
    means = {value: sensitivity.over_fields(factor, value, METRIC) for value in sensitivity.values(factor)}
    means = {value: mean for value, mean in means.items() if math.isfinite(mean)}
    advised = [value for value in means if FACTORS[factor].is_advised(value)]
    poor = [value for value in means if FACTORS[factor].is_poor(value)]
    if not advised or not poor:
        return None
    gains = {}
    for field in sensitivity.fields:
        groups = [[sensitivity.score(factor, value, field, METRIC) for value in group] for group in (poor, advised)]
        poorly, well = ([score.mean for score in group if score is not None] for group in groups)
        gains[field] = fmean(poorly) - fmean(well)
    return Verdict(factor, means, advised, poor, gains)


def overall(verdicts: list[Verdict]) -> str:
    """One sentence for all factors."""
    if not verdicts:
        return "Too few runs are finished to say which values are best."
    held = [FACTORS[verdict.factor].advice for verdict in verdicts if verdict.holds]
    others = [FACTORS[verdict.factor].advice for verdict in verdicts if not verdict.holds]
    if not others:
        return f"The paper's advice holds on every field: {joined(held)}."
    if not held:
        return "None of the paper's advice holds on every field; see below."
    return f"Of the paper's advice, {joined(held)} holds on every field; not everywhere {joined(others)}: see below."


def _listed(values: list[float]) -> str:
    return joined([f"{value:g}" for value in values])
