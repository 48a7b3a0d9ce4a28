"""The vehicle of a survey that is complete, when its map is made again."""

from collections.abc import Iterator

from akrig.geometry import Pose
from akrig.types import Measurement, Plan


class StationaryBoat:
    """Where the boat was when the survey was complete; it goes nowhere."""

    def __init__(self, pose: Pose, clock: float) -> None:
        self.pose, self.clock = pose, clock

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        raise RuntimeError("A stationary boat follows no plan.")
