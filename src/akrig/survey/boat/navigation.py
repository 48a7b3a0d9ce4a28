"""The navigation filter: an extended Kalman filter that fuses GPS, gyro, accelerometers and compass.

State: place (east, north), velocity over ground, heading, and what is wrong with the sensors: the gyro's bias, the
accelerometers' biases, and the GPS error that wanders. Keeping the wandering error as a state is what makes the filter
honest about it: thousands of fixes do not average it away.
"""

from math import cos, exp, pi, sin

import numpy as np

from akrig.geometry import wrapped
from akrig.survey.boat import sensors
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.sensors import GpsFix, ImuReading
from akrig.survey.boat.settings import BoatSettings

SETTLING = 6.0  # seconds of good GPS until the filter trusts its place
LOST_AFTER = 7.0  # seconds without GPS until it no longer trusts its dead reckoning
GIVES_UP_AFTER = 15.0  # seconds without GPS until it no longer tries
GLITCH = 5.0  # seconds for which fixes that do not fit are taken for glitches
GATE = 5.0  # standard deviations beyond which a fix is taken for a glitch
X, Y, VX, VY, HEADING, GYRO, FORWARD, STARBOARD, DRIFT_X, DRIFT_Y = range(10)
_GPS_ROWS = np.zeros((4, 10))
_GPS_ROWS[[0, 1, 2, 3, 0, 1], [X, Y, VX, VY, DRIFT_X, DRIFT_Y]] = 1.0


class Navigation:
    """What the boat believes about where it is; `has_position` says whether that is to be trusted."""

    def __init__(self, settings: BoatSettings, *, time: float, dt: float) -> None:
        self._dt = dt
        self.time = time
        self.state = np.zeros(10)
        drift = settings.gps_drift_std
        self.covariance = np.diag(
            np.square(
                [1e3, 1e3, 1.0, 1.0, 0.3, sensors.GYRO_BIAS_STD] + 2 * [sensors.ACCELERATION_BIAS_STD] + 2 * [drift]
            )
        )
        keep = exp(-dt / settings.gps_drift_seconds)
        self._F = np.eye(10)
        self._F[X, VX] = self._F[Y, VY] = dt
        self._F[HEADING, GYRO] = -dt
        self._F[DRIFT_X, DRIFT_X] = self._F[DRIFT_Y, DRIFT_Y] = keep
        speed, wander = (1.5 * sensors.ACCELERATION_STD * dt) ** 2, drift**2 * (1 - keep**2)
        # Biases stay put in this simulation; a little noise keeps the filter from being sure of them.
        self._Q = np.diag(
            [1e-8, 1e-8, speed, speed, (1.5 * sensors.GYRO_STD * dt) ** 2, 1e-12, 1e-10, 1e-10, wander, wander]
        )
        self._R = np.diag([settings.gps_noise_std**2 + 1e-4] * 2 + [settings.gps_velocity_std**2 + 1e-4] * 2)
        self.turn = 0.0
        self.origin: Pair | None = None
        self.gps: GpsFix | None = None
        self.position_ratio = self.velocity_ratio = self.compass_ratio = 0.0
        self._good_since: float | None = None
        self._last_used: float | None = None
        self.has_attitude = False
        self._runs_on: Pair = (0.0, 0.0)  # the velocity it believes in after it got lost

    def step(self, time: float, imu: ImuReading, fix: GpsFix | None) -> None:
        self.time = time
        self._predict(imu)
        if imu.compass is not None:
            self._use_compass(imu.compass)
        if fix is not None:
            self.gps = fix
            self._use_fix(fix)

    @property
    def position(self) -> Pair:
        return float(self.state[X]), float(self.state[Y])

    @property
    def velocity(self) -> Pair:
        """East and north."""
        return float(self.state[VX]), float(self.state[VY])

    @property
    def heading(self) -> float:
        """Radians clockwise from north, 0 to 2 pi."""
        return float(self.state[HEADING]) % (2 * pi)

    @property
    def forward_speed(self) -> float:
        heading = self.state[HEADING]
        return float(self.state[VX] * sin(heading) + self.state[VY] * cos(heading))

    @property
    def seconds_without_gps(self) -> float:
        return self.time - self._last_used if self._last_used is not None else float("inf")

    @property
    def has_position(self) -> bool:
        """Settled, and not too long without GPS."""
        return self.origin is not None and self.seconds_without_gps < LOST_AFTER

    @property
    def has_given_up(self) -> bool:
        """What ArduPilot calls constant position mode; so it begins, too."""
        return self.origin is None or self.seconds_without_gps > GIVES_UP_AFTER

    def _predict(self, imu: ImuReading) -> None:
        dt, state = self._dt, self.state
        heading = state[HEADING]
        c, s = cos(heading), sin(heading)
        forward, starboard = imu.forward - state[FORWARD], imu.starboard - state[STARBOARD]
        east, north = forward * s + starboard * c, forward * c - starboard * s
        self.turn = float(imu.turn - state[GYRO])
        if self._last_used is None:
            state[VX] = state[VY] = 0.0
        elif self.origin is not None and not self.has_position:
            # ArduPilot's position runs on at the last speed it was sure of, whatever the boat does.
            state[X] += dt * self._runs_on[0]
            state[Y] += dt * self._runs_on[1]
            state[VX] = state[VY] = 0.0
        else:
            self._runs_on = self.velocity
            state[X] += dt * state[VX]
            state[Y] += dt * state[VY]
            state[VX] += dt * east
            state[VY] += dt * north
        state[HEADING] += dt * self.turn
        state[DRIFT_X] *= self._F[DRIFT_X, DRIFT_X]
        state[DRIFT_Y] *= self._F[DRIFT_Y, DRIFT_Y]
        F = self._F
        F[VX, HEADING], F[VY, HEADING] = dt * north, -dt * east
        F[VX, FORWARD], F[VX, STARBOARD] = -dt * s, -dt * c
        F[VY, FORWARD], F[VY, STARBOARD] = -dt * c, dt * s
        self.covariance = F @ self.covariance @ F.T + self._Q

    def _use_compass(self, compass: float) -> None:
        if not self.has_attitude:
            self.state[HEADING] = compass
            self.has_attitude = True
            return
        error = wrapped(compass - self.state[HEADING])
        # The compass has a bias of its own that the filter does not know: trust each reading less.
        variance = (2 * sensors.COMPASS_STD) ** 2 + sensors.COMPASS_BIAS_STD**2
        P = self.covariance
        spread = P[HEADING, HEADING] + variance
        gain = P[:, HEADING] / spread
        self.state += gain * error
        self.covariance = P - np.outer(gain, P[HEADING])
        self.compass_ratio += 0.1 * (abs(error) / (GATE * spread**0.5) - self.compass_ratio)

    def _use_fix(self, fix: GpsFix) -> None:
        if not fix.is_good:
            self._good_since = None
            return
        if self._good_since is None:
            self._good_since = fix.time
        settled = fix.time - self._good_since >= SETTLING
        if self._last_used is None or not self.has_position:
            if settled or self._last_used is None:
                self._start_at(fix)
            if settled and self.origin is None:
                self.origin = self.position
            return
        self._correct(fix)

    def _start_at(self, fix: GpsFix) -> None:
        """Forgets where it thought it was; drift and biases stay known."""
        self.state[[X, Y, VX, VY]] = (
            fix.position[0] - self.state[DRIFT_X],
            fix.position[1] - self.state[DRIFT_Y],
            *fix.velocity,
        )
        P = self.covariance
        P[:4] = 0.0
        P[:, :4] = 0.0
        drift = P[DRIFT_X:, DRIFT_X:].copy()
        P[:2, :2] = self._R[:2, :2] + drift
        P[:2, DRIFT_X:] = -drift
        P[DRIFT_X:, :2] = -drift
        P[2:4, 2:4] = self._R[2:, 2:]
        self._last_used = fix.time

    def _correct(self, fix: GpsFix) -> None:
        H, P = _GPS_ROWS, self.covariance
        error = np.array([*fix.position, *fix.velocity]) - H @ self.state
        S = H @ P @ H.T + self._R
        spread = np.sqrt(S.diagonal())
        ratios = np.abs(error) / (GATE * spread)
        self.position_ratio, self.velocity_ratio = float(ratios[:2].max()), float(ratios[2:].max())
        if self.position_ratio > 1 and fix.time - (self._last_used or 0.0) < GLITCH:
            return
        gain = np.linalg.solve(S, H @ P).T
        self.state += gain @ error
        P = P - gain @ S @ gain.T
        self.covariance = 0.5 * (P + P.T)
        self._last_used = fix.time
