"""How a hull moves: surge, sway and yaw, with drag, wind and current; plain numbers, a fixed step.

Headings are radians clockwise from north; x is east, y north. The hull's velocities are through the water, forward
and to starboard, so that a current simply carries everything with it.
"""

from dataclasses import dataclass, replace
from math import cos, hypot, sin
from typing import NamedTuple

Pair = tuple[float, float]
CALM: Pair = (0.0, 0.0)


class Controls(NamedTuple):
    """What is asked of the thrusters and of the rudder, if there is one: -1 to 1 each, starboard positive."""

    left: float = 0.0
    right: float = 0.0
    rudder: float = 0.0


@dataclass(frozen=True)
class Rudder:
    """Turns the boat only while water flows past it, and the other way round when it goes astern.

    Args:
        radius: metres of the tightest circle, at any speed; ArduPilot's `motorboat` has the same.
        response: seconds until the hull has made two thirds of a change of its turn.
    """

    radius: float = 0.9
    response: float = 0.9

    def __post_init__(self) -> None:
        if min(self.radius, self.response) <= 0:
            raise ValueError(f"A rudder needs a positive radius and response; got {self}.")


@dataclass(frozen=True)
class Hull:
    """A boat of about a metre: a catamaran with two thrusters, unless it has a rudder.

    Args:
        mass, inertia: kilograms and kilogram square metres, the water that moves along included.
        surge_drag, sway_drag, yaw_drag: linear and quadratic, newtons (newton metres) per metre (radian) per second.
        thrust: newtons of each thruster at full power; backwards it gives `reverse` of that.
        lever: metres from the middle to each thruster.
        thruster_lag: seconds until a thruster, or the rudder, has made two thirds of a change.
        front_area, side_area: square metres that catch the wind.
        wind_lever: metres from the middle to where wind from the side pushes, forward positive.
        rudder: steers instead of the thrusters, which then work as one propeller.
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
    rudder: Rudder | None = None

    def __post_init__(self) -> None:
        if min(self.mass, self.inertia, self.thrust, self.lever, self.thruster_lag) <= 0:
            raise ValueError(f"A hull needs a positive mass, inertia, thrust, lever and thruster_lag; got {self}.")

    def of_speed(self, max_speed: float) -> "Hull":
        """With thrusters just strong enough for this speed through the water."""
        linear, quadratic = self.surge_drag
        return replace(self, thrust=(linear * max_speed + quadratic * max_speed**2) / 2)


@dataclass
class Motion:
    """Where the hull is and how it moves, now.

    Args:
        surge, sway: metres per second through the water, forward and to starboard.
        turn: radians per second, clockwise.
        left, right: what the thrusters give at this moment, shares of full thrust.
        rudder: where it stands, -1 to 1.
    """

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    surge: float = 0.0
    sway: float = 0.0
    turn: float = 0.0
    left: float = 0.0
    right: float = 0.0
    rudder: float = 0.0

    def over_ground(self, current: Pair = CALM) -> Pair:
        """Velocity east and north."""
        c, s = cos(self.heading), sin(self.heading)
        return self.surge * s + self.sway * c + current[0], self.surge * c - self.sway * s + current[1]


def advance(
    hull: Hull, motion: Motion, dt: float, *, controls: Controls, wind: Pair = CALM, current: Pair = CALM
) -> None:
    """Moves the hull on by `dt`.

    Args:
        wind, current: velocities of air and water, east and north.
    """
    share = dt / (hull.thruster_lag + dt)
    motion.left += share * (controls.left - motion.left)
    motion.right += share * (controls.right - motion.right)
    motion.rudder += share * (controls.rudder - motion.rudder)
    left, right = (
        hull.thrust * power if power > 0 else hull.thrust * hull.reverse * power
        for power in (motion.left, motion.right)
    )
    forward, sideways, twist = _wind_force(hull, motion, wind, current)
    u, v, r = motion.surge, motion.sway, motion.turn
    forward += left + right - (hull.surge_drag[0] + hull.surge_drag[1] * abs(u)) * u
    sideways -= (hull.sway_drag[0] + hull.sway_drag[1] * abs(v)) * v
    if hull.rudder is None:
        twist += (left - right) * hull.lever - (hull.yaw_drag[0] + hull.yaw_drag[1] * abs(r)) * r
    else:
        twist += hull.inertia * (motion.rudder * u / hull.rudder.radius - r) / hull.rudder.response
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


# By the name that settings know.
HULLS = {"thrusters": Hull(), "rudder": Hull(rudder=Rudder())}
