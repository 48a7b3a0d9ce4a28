"""A sonar over a lake bed of the tests, sounding from where the boat really is."""

import math

from tests.ardupilot.truth import Sight
from tests.ardupilot.wire import Wire, mavlink

DOWNWARDS = mavlink.MAV_SENSOR_ROTATION_PITCH_270
SHALLOWEST, DEEPEST = 20, 6000  # centimetres


def bed(x: float, y: float) -> float:
    """Depth in metres: gentle hills on a slope, everywhere between 2 and 11 m."""
    return 6.0 + 0.02 * y + 2.0 * math.sin(x / 25.0) + 1.5 * math.cos(y / 18.0)


class Sonar:
    """Tells the autopilot the depth, for its rangefinder of type 10; sysid 250, so that only the autopilot heeds it.

    Attributes:
        is_silent: as if its cable were cut.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.is_silent = False

    def sound(self, sight: Sight) -> None:
        if self.is_silent:
            return
        depth = round(100 * bed(*sight.place))
        self._wire.send(
            mavlink.MAVLink_distance_sensor_message(
                int(sight.boot * 1e3), SHALLOWEST, DEEPEST, depth, 0, 0, DOWNWARDS, 255, signal_quality=100
            )
        )
