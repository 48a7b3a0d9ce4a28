"""How long the rest of a study will take."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from akrig.study.specification import Specification


class TimeLeft:
    """Learns from finished runs: those of a family take about equally long, whatever their seed."""

    def __init__(self, missing: Iterable[Specification]) -> None:
        self._missing = {specification.name: specification.family for specification in missing}
        self._seconds: dict[str, list[float]] = defaultdict(list)

    def learn(self, family: str, seconds: float) -> None:
        self._seconds[family].append(seconds)

    def leave_out(self, name: str) -> None:
        """A run that is over, or not ours any more."""
        self._missing.pop(name, None)

    def seconds_left(self, num_workers: int) -> float | None:
        """`None` as long as nothing is known."""
        if not self._seconds:
            return None
        means = {family: fmean(seconds) for family, seconds in self._seconds.items()}
        usual = fmean(means.values())
        return sum(means.get(family, usual) for family in self._missing.values()) / max(num_workers, 1)
