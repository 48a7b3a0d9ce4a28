"""How a vehicle is steered towards a waypoint; pure."""

import math
from collections.abc import Sequence

from akrig.geometry import Pose


def towards(
    pose: Pose, goal: Sequence[float], *, speed: float, slowdown_radius: float, turn_gain: float
) -> tuple[float, float]:
    """Velocity and turn rate, from the goal as the vehicle sees it (ahead, to the left).

    Nearer than `slowdown_radius` it slows down; a goal behind is approached backwards while turning.
    """
    dx, dy = goal[0] - pose.position[0], goal[1] - pose.position[1]
    cos, sin = math.cos(pose.heading), math.sin(pose.heading)
    ahead, left = cos * dx + sin * dy, -sin * dx + cos * dy
    return speed * math.tanh(ahead / slowdown_radius), turn_gain * math.atan2(left, ahead)
