"""From a target to thrust: along a line to a point, around a point, and at a speed and heading."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import atan2, copysign, cos, degrees, hypot, inf, pi, radians, sin, sqrt

from akrig.geometry import wrapped
from akrig.survey.boat.dynamics import Controls, Pair, Rudder
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters

IDLE = Controls()
LOOK_AHEAD = 4.0  # metres: how softly it comes back to the line
TURN_GAIN = 1.2  # radians per second for a radian of heading error
STEERING_GAIN, STEERING_FORWARD, STEERING_SUM = 0.5, 0.55, 0.4
THROTTLE_GAIN, THROTTLE_SUM = 0.5, 0.25
SLOWEST_FLOW = 0.4  # metres per second: a rudder is not laid harder for a boat that is slower


@dataclass
class Pilot:
    """Speed and heading controllers: proportional and integral parts, what drag needs fed forward."""

    parameters: Parameters
    dt: float
    max_speed: float
    rudder: Rudder | None = None
    _throttle_sum: float = 0.0
    _steering_sum: float = 0.0
    _speed: float = 0.0  # asked for, limited in how fast it may change
    throttle: float = 0.0  # what was asked of the motors last, -1 to 1

    def rest(self) -> Controls:
        self._throttle_sum = self._steering_sum = self._speed = self.throttle = 0.0
        return IDLE

    def steer(self, navigation: Navigation, *, heading: float, speed: float) -> Controls:
        error = wrapped(heading - navigation.heading)
        most = radians(self.parameters["ATC_STR_RAT_MAX"])
        return self.turn(navigation, rate=max(-most, min(most, TURN_GAIN * error)), speed=speed)

    def turn(self, navigation: Navigation, *, rate: float, speed: float) -> Controls:
        off = rate - navigation.turn
        self._steering_sum = max(-0.4, min(0.4, self._steering_sum + STEERING_SUM * off * self.dt))
        throttle = self._throttle(navigation, speed)
        if self.rudder is None:
            return self.mixed(throttle, STEERING_FORWARD * rate + STEERING_GAIN * off + self._steering_sum)
        flow = max(abs(navigation.forward_speed), SLOWEST_FLOW)
        astern = -1 if navigation.forward_speed < 0 else 1
        return self.mixed(
            throttle, astern * (rate + STEERING_GAIN * off + self._steering_sum) * self.rudder.radius / flow
        )

    def mixed(self, throttle: float, steering: float) -> Controls:
        """When thrusters cannot give both, steering comes first."""
        steering = max(-1.0, min(1.0, steering))
        if self.rudder is not None:
            self.throttle = throttle = max(-1.0, min(1.0, throttle))
            return Controls(throttle, throttle, steering)
        room = 1.0 - abs(steering)
        self.throttle = throttle = max(-room, min(room, throttle)) if room > 0.05 else 0.0
        return Controls(throttle + steering, throttle - steering)

    def in_a_turn(self, speed: float, error: float) -> float:
        """How fast to go while the heading is off by so many radians: a rudder needs way on, thrusters do not."""
        if self.rudder is not None:
            return speed
        pivots = degrees(error) > self.parameters["WP_PIVOT_ANGLE"]
        return 0.0 if pivots else speed * max(0.0, cos(error))

    def _throttle(self, navigation: Navigation, speed: float) -> float:
        most = self.parameters["ATC_ACCEL_MAX"] * self.dt
        self._speed += max(-most, min(most, speed - self._speed))
        off = self._speed - navigation.forward_speed
        self._throttle_sum = max(-0.5, min(0.5, self._throttle_sum + THROTTLE_SUM * off * self.dt))
        share = self._speed / self.max_speed
        feed = copysign(0.25 * abs(share) + 0.75 * share * share, share)
        return feed + THROTTLE_GAIN * off + self._throttle_sum


@dataclass
class Task(ABC):
    """What the boat does on its own.

    Attributes:
        distance, bearing: to its goal, when last looked at.
        cross_track: metres to starboard of its line.
        is_reached: whether it has arrived.
        until: seconds since boot when it is over.
    """

    distance: float = field(default=0.0, init=False)
    bearing: float = field(default=0.0, init=False)
    cross_track: float = field(default=0.0, init=False)
    is_reached: bool = field(default=False, init=False)
    until: float = field(default=inf, kw_only=True)

    @property
    def goal(self) -> Pair | None:
        """Where it goes, if it goes somewhere."""
        return None

    @abstractmethod
    def follow(self, pilot: Pilot, navigation: Navigation) -> Controls:
        """What to ask of the thrusters."""

    def limit(self, speed: float) -> bool:
        """Go no faster; false if it goes nowhere, or has its own speed."""
        return False


@dataclass
class Line(Task):
    """The straight way from `begin` to `end`; reached within WP_RADIUS of the end, or once past it."""

    begin: Pair
    end: Pair
    speed: float

    @property
    def goal(self) -> Pair:
        return self.end

    def limit(self, speed: float) -> bool:
        self.speed = speed
        return True

    def follow(self, pilot: Pilot, navigation: Navigation) -> Controls:
        parameters = pilot.parameters
        x, y = navigation.position
        along_x, along_y = self.end[0] - self.begin[0], self.end[1] - self.begin[1]
        length = hypot(along_x, along_y)
        to_x, to_y = self.end[0] - x, self.end[1] - y
        self.distance = hypot(to_x, to_y)
        self.bearing = atan2(to_x, to_y)
        past = length > 0 and (to_x * along_x + to_y * along_y) <= 0
        if self.distance <= parameters["WP_RADIUS"] or past:
            self.is_reached = True
            return pilot.rest()
        # To starboard of the line is positive.
        self.cross_track = (along_y * -to_x - along_x * -to_y) / length if length > 0 else 0.0
        ahead = max(min(LOOK_AHEAD, self.distance), 0.5)
        course = atan2(along_x, along_y) if length > 0 else self.bearing
        heading = course - atan2(self.cross_track, ahead)
        error = abs(wrapped(heading - navigation.heading))
        speed = min(self.speed, sqrt(2 * 0.7 * parameters["ATC_ACCEL_MAX"] * self.distance))
        return pilot.steer(navigation, heading=heading, speed=pilot.in_a_turn(speed, error))


@dataclass
class Loiter(Task):
    """Stays near a point: drifts freely within LOIT_RADIUS, then goes back, backwards if that is nearer."""

    place: Pair
    heading: float

    @property
    def goal(self) -> Pair:
        return self.place

    @classmethod
    def here(cls, navigation: Navigation, parameters: Parameters) -> "Loiter":
        """Where the boat can stop."""
        (x, y), (east, north) = navigation.position, navigation.velocity
        seconds = hypot(east, north) / (2 * max(parameters["ATC_ACCEL_MAX"], 0.1))
        return cls((x + east * seconds, y + north * seconds), navigation.heading)

    def follow(self, pilot: Pilot, navigation: Navigation) -> Controls:
        parameters = pilot.parameters
        x, y = navigation.position
        to_x, to_y = self.place[0] - x, self.place[1] - y
        self.distance, self.bearing = hypot(to_x, to_y), atan2(to_x, to_y)
        beyond = self.distance - parameters["LOIT_RADIUS"]
        if beyond <= 0:
            return pilot.steer(navigation, heading=self.heading, speed=0.0)
        speed = min(beyond * parameters["LOIT_SPEED_GAIN"], parameters["WP_SPEED"])
        self.heading = self.bearing
        error = wrapped(self.heading - navigation.heading)
        if (abs(error) > pi / 2 and parameters["LOIT_TYPE"] == 0) or parameters["LOIT_TYPE"] == 2:
            self.heading = wrapped(self.heading + pi)
            error, speed = wrapped(self.heading - navigation.heading), -speed
        speed *= 1 - 0.5 * min(abs(error) / (pi / 2), 1.0)
        return pilot.steer(navigation, heading=self.heading, speed=speed)


@dataclass
class Course(Task):
    """A heading, or a turn rate, at a speed; without a new order for GUID_TIMEOUT seconds it is over."""

    speed: float
    heading: float | None = None
    rate: float = 0.0

    def follow(self, pilot: Pilot, navigation: Navigation) -> Controls:
        if self.heading is None:
            return pilot.turn(navigation, rate=self.rate, speed=self.speed)
        return pilot.steer(navigation, heading=self.heading, speed=self.speed)


def body_to_earth(ahead: float, starboard: float, *, heading: float) -> Pair:
    """East and north."""
    return ahead * sin(heading) + starboard * cos(heading), ahead * cos(heading) - starboard * sin(heading)
