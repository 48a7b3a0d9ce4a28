"""How a vehicle moves; pure."""

import math

from akrig.geometry import Pose, wrapped


def unicycle(pose: Pose, *, velocity: float, turn_rate: float, seconds: float) -> Pose:
    """Forward along the heading, then turn: the paper's Dubins-like boat, Euler's way."""
    x, y = pose.position
    return Pose(
        (x + velocity * math.cos(pose.heading) * seconds, y + velocity * math.sin(pose.heading) * seconds),
        wrapped(pose.heading + turn_rate * seconds),
    )
