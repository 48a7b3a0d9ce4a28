"""The hands on the boat: asks for streams, arms, changes the mode, sends targets; each waits for the boat's word."""

import time
from collections.abc import Callable

import numpy as np
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.errors import BoatRefused, LinkLost
from akrig.geo import LocalFrame
from akrig.vehicles.mavlink.guard import Guard
from akrig.vehicles.mavlink.link import AUTOPILOT, Link
from akrig.vehicles.mavlink.observer import SONAR_STREAMS, STREAMS, Observer

POSITION_ONLY = 0b1101_1111_1000  # velocity, acceleration and yaw are ignored; some firmware needs a height, too
RESULTS = {
    mavlink.MAV_RESULT_TEMPORARILY_REJECTED: "not now",
    mavlink.MAV_RESULT_DENIED: "denied",
    mavlink.MAV_RESULT_UNSUPPORTED: "not supported",
    mavlink.MAV_RESULT_FAILED: "failed",
    None: "no answer",
}
SECONDS_BETWEEN_TRIES = 2.0
SECONDS_OF_STREAM_SILENCE = 4.0
A_HAIR = 3  # 1e-7 degrees by which a confirmed target may differ: floats on the way


class Helm:
    """Args:
    rate: soundings per second to ask for.
    ready: boat seconds to wait until it can be armed.
    """

    def __init__(
        self,
        link: Link,
        observer: Observer,
        guard: Guard,
        *,
        frame: LocalFrame,
        rate: float,
        speed: float,
        ready: float,
    ) -> None:
        self._link, self._observer, self._guard, self._frame = link, observer, guard, frame
        self._rate, self._speed, self._ready = rate, speed, ready
        self._asked_at = -float("inf")
        self._target: tuple[int, int] | None = None
        self._sent_at = -float("inf")

    def connect(self, seconds: float) -> None:
        """Until the boat is heard, and has told how its time runs; seconds on this computer's clock."""
        if not self._link.wait(lambda: self._link.heartbeats > 0, seconds):
            raise LinkLost(
                f"No boat was heard at {self._link.address} for {seconds:.0f} s; is it switched on, and does it send "
                "there? (A simulated one: `akrig boat`.)"
            )
        self._link.speedup = self._link.parameter("SIM_SPEEDUP", attempts=2) or 1.0  # only simulators have one
        self._observer.clock.speedup = self._link.speedup
        self.ask_for_streams()
        self._link.wait(lambda: self._observer.clock.is_known, 10.0)

    def keep_streams(self) -> None:
        """Ask again for positions that do not come (any more): after a restart, boats forget. In the link's thread."""
        latest = self._observer.track.latest
        silent = latest is None or self._observer.clock.now - latest.time > SECONDS_OF_STREAM_SILENCE
        since = (time.monotonic() - self._asked_at) * self._link.speedup
        if self._link.heartbeats and silent and since > SECONDS_OF_STREAM_SILENCE:
            self.ask_for_streams()

    def ask_for_streams(self) -> None:
        self._asked_at = time.monotonic()
        for message, rate in (*STREAMS.items(), *((number, self._rate) for number in SONAR_STREAMS.values())):
            self._link.order(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, message, 1e6 / rate)

    def await_position(self, seconds: float) -> None:
        """Boat seconds; raises with the boat's own words if it has none by then."""
        observer = self._observer

        def is_there() -> bool:
            return observer.track.latest is not None and observer.track.latest.trusted

        if not self._link.wait(is_there, seconds):
            why = observer.health.gps_trouble(99.0) or "no position was sent"
            raise BoatRefused(
                f"The boat has no position yet ({why}{self._words()}); wait under open sky, and try again."
            )

    def engage(self) -> None:
        """GUIDED, armed, at the wanted speed. Raises `BoatRefused` if the boat will not, `LinkLost` if it is silent."""
        self._guard.must_engage = False
        self.change_mode("GUIDED")
        if not self._observer.health.armed:
            self._arm()
        self._link.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1, self._speed, -1, attempts=1)
        self._target = None

    def change_mode(self, mode: str) -> None:
        modes = self._observer.modes
        if modes is None:
            raise LinkLost("The boat has not said what it is; is it an autopilot at all?")
        self._guard.asks_for(mode)
        result = self._link.command(mavlink.MAV_CMD_DO_SET_MODE, *modes.parameters(mode))
        if result == mavlink.MAV_RESULT_UNSUPPORTED and modes.is_ardupilot:  # old firmware
            flag, number, _ = modes.parameters(mode)
            self._link.send(mavlink.MAVLink_set_mode_message(self._link.system or 1, int(flag), int(number)))
        if not self._link.wait(lambda: self._observer.health.mode == mode, 5.0):
            raise self._refusal(f"did not go into {mode}", result)

    def disarm(self) -> None:
        self._link.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0)

    def steer(self, place: tuple[float, float]) -> None:
        """Towards a place in local metres; sent again until the boat confirms it, and not more often."""
        longitude, latitude = self._frame.to_degrees(np.array([place]))[0].tolist()
        target = (round(latitude * 1e7), round(longitude * 1e7))
        age = (time.monotonic() - self._sent_at) * self._link.speedup
        if target == self._target and (self._is_confirmed(target) or age < self._patience):
            return
        self._target, self._sent_at = target, time.monotonic()
        self._link.send(
            mavlink.MAVLink_set_position_target_global_int_message(
                0, self._link.system or 1, AUTOPILOT, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT, POSITION_ONLY,
                target[0], target[1], 0, 0, 0, 0, 0, 0, 0, 0, 0,
            )
        )  # fmt: skip

    @property
    def _patience(self) -> float:
        """Boat seconds between targets that nobody confirms; PX4 wants to hear them all the time."""
        ardupilot = self._observer.modes is not None and self._observer.modes.is_ardupilot
        return (3.0 if self._observer.target is not None else 10.0) if ardupilot else 0.4

    def _is_confirmed(self, target: tuple[int, int]) -> bool:
        modes, heard = self._observer.modes, self._observer.target
        if modes is None or not modes.is_ardupilot or heard is None:
            return False
        return max(abs(heard[0] - target[0]), abs(heard[1] - target[1])) <= A_HAIR

    def _arm(self) -> None:
        """A boat refuses while its filter settles: it is asked again, until it must be ready."""
        self._until_done(
            lambda: self._link.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1),
            lambda: self._observer.health.armed,
            failing="cannot be armed",
        )

    def _until_done(self, act: Callable[[], int | None], is_done: Callable[[], bool], *, failing: str) -> None:
        begin, result = time.monotonic(), None
        while (time.monotonic() - begin) * self._link.speedup < self._ready or result is None:
            self._observer.health.texts.clear()
            result = act()
            if result == mavlink.MAV_RESULT_ACCEPTED and self._link.wait(is_done, 3.0):
                return
            if self._guard.ending is not None or self._link.failure is not None:
                break
            time.sleep(max(SECONDS_BETWEEN_TRIES / self._link.speedup, 0.05))
            if result is None and (time.monotonic() - begin) * self._link.speedup > self._ready:
                break
        raise self._refusal(failing, result)

    def _refusal(self, what: str, result: int | None) -> BoatRefused:
        said = RESULTS.get(result, "it said yes, but did not do it")
        return BoatRefused(f"The boat {what} ({said}{self._words()}); see to it, then go on with `akrig resume`.")

    def _words(self) -> str:
        texts = [text for text in self._observer.health.texts if "arm" in text.lower() or "gps" in text.lower()]
        return f": {'; '.join(dict.fromkeys(texts))}" if texts else ""
