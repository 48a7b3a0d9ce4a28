"""How a hull with two thrusters moves: surge, sway and yaw, with drag, wind and current; plain numbers, a fixed step.

Headings are radians clockwise from north; x is east, y north. The hull's velocities are through the water, forward
and to starboard, so that a current simply carries everything with it.
"""

from dataclasses import dataclass
from math import cos, hypot, sin

Pair = tuple[float, float]
CALM: Pair = (0.0, 0.0)


@dataclass(frozen=True)
class Hull:
    """A catamaran of about a metre.

    Args:
        mass, inertia: kilograms and kilogram square metres, the water that moves along included.
        surge_drag, sway_drag, yaw_drag: linear and quadratic, newtons (newton metres) per metre (radian) per second.
        thrust: newtons of each thruster at full power; backwards it gives `reverse` of that.
        lever: metres from the middle to each thruster.
        thruster_lag: seconds until a thruster has made two thirds of a change.
        front_area, side_area: square metres that catch the wind.
        wind_lever: metres from the middle to where wind from the side pushes, forward positive.
    """

    mass: float = 22.0
    inertia: float = 6.0
    surge_drag: Pair = (5.0, 12.0)
    sway_drag: Pair = (40.0, 80.0)
    yaw_drag: Pair = (8.0, 6.0)
    thrust: float = 29.0
    reverse: float = 0.7
    lever: float = 0.35
    thruster_lag: float = 0.25
    front_area: float = 0.12
    side_area: float = 0.25
    wind_lever: float = -0.05

    def __post_init__(self) -> None:
        if min(self.mass, self.inertia, self.thrust, self.lever, self.thruster_lag) <= 0:
            raise ValueError(f"A hull needs a positive mass, inertia, thrust, lever and thruster_lag; got {self}.")

    @classmethod
    def of_speed(cls, max_speed: float) -> "Hull":
        """Thrusters just strong enough for this speed through the water."""
        linear, quadratic = cls.surge_drag
        return cls(thrust=(linear * max_speed + quadratic * max_speed**2) / 2)


@dataclass
class Motion:
    """Where the hull is and how it moves, now.

    Args:
        surge, sway: metres per second through the water, forward and to starboard.
        turn: radians per second, clockwise.
        left, right: what the thrusters give at this moment, shares of full thrust.
    """

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    surge: float = 0.0
    sway: float = 0.0
    turn: float = 0.0
    left: float = 0.0
    right: float = 0.0

    def over_ground(self, current: Pair = CALM) -> Pair:
        """Velocity east and north."""
        c, s = cos(self.heading), sin(self.heading)
        return self.surge * s + self.sway * c + current[0], self.surge * c - self.sway * s + current[1]


def advance(hull: Hull, motion: Motion, dt: float, *, thrust: Pair, wind: Pair = CALM, current: Pair = CALM) -> None:
    """Moves the hull on by `dt`.

    Args:
        thrust: what left and right thruster are asked for, -1 to 1.
        wind, current: velocities of air and water, east and north.
    """
    share = dt / (hull.thruster_lag + dt)
    motion.left += share * (thrust[0] - motion.left)
    motion.right += share * (thrust[1] - motion.right)
    left, right = (
        hull.thrust * power if power > 0 else hull.thrust * hull.reverse * power
        for power in (motion.left, motion.right)
    )
    forward, sideways, twist = _wind_force(hull, motion, wind, current)
    u, v, r = motion.surge, motion.sway, motion.turn
    forward += left + right - (hull.surge_drag[0] + hull.surge_drag[1] * abs(u)) * u
    sideways -= (hull.sway_drag[0] + hull.sway_drag[1] * abs(v)) * v
    twist += (left - right) * hull.lever - (hull.yaw_drag[0] + hull.yaw_drag[1] * abs(r)) * r
    # Velocities first, then places with the new velocities: stable at this step, and as simple.
    motion.surge += dt * (forward / hull.mass + v * r)
    motion.sway += dt * (sideways / hull.mass - u * r)
    motion.turn += dt * twist / hull.inertia
    motion.heading += dt * motion.turn
    east, north = motion.over_ground(current)
    motion.x += dt * east
    motion.y += dt * north


def _wind_force(hull: Hull, motion: Motion, wind: Pair, current: Pair) -> tuple[float, float, float]:
    """Newtons forward and to starboard, newton metres clockwise; half of air's density is 0.61 kg per cubic metre."""
    east, north = motion.over_ground(current)
    east, north = wind[0] - east, wind[1] - north
    c, s = cos(motion.heading), sin(motion.heading)
    ahead, abeam = east * s + north * c, east * c - north * s
    speed = hypot(ahead, abeam)
    sideways = 0.61 * hull.side_area * speed * abeam
    return 0.61 * hull.front_area * speed * ahead, sideways, sideways * hull.wind_lever
