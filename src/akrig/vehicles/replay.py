"""A recorded log as a vehicle: what would another model have made of these readings?"""

from collections.abc import Iterator, Sequence
from typing import Any

from akrig.errors import LogExhausted
from akrig.geometry import Pose
from akrig.types import Measurement, Plan
from akrig.words import plural


class Replay:
    """Yields the recorded legs one after the other, whatever the plan.

    Args:
        legs: the readings of each; a leg may be empty.
    """

    def __init__(self, legs: Sequence[Sequence[Measurement]]) -> None:
        self._legs = [list(leg) for leg in legs]
        first = next((leg[0] for leg in self._legs if leg), None)
        if first is None:
            raise ValueError("Replay needs at least one recorded reading; got none.")
        self._leg, self.pose, self.clock = 0, Pose(first.position), 0.0

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        if self._leg >= len(self._legs):
            raise LogExhausted(f"The log has {plural(len(self._legs), 'leg')}, all replayed already; lower the budget.")
        leg = self._legs[self._leg]
        self._leg += 1
        for measurement in leg:
            self.pose, self.clock = Pose(measurement.position, self.pose.heading), measurement.time
            yield measurement

    @property
    def state(self) -> dict[str, Any]:
        return {"leg": self._leg, "position": list(self.pose.position), "clock": self.clock}

    def restore(self, state: dict[str, Any]) -> None:
        self._leg, self.pose, self.clock = state["leg"], Pose(tuple(state["position"])), state["clock"]
