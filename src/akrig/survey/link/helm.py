"""The hands on the boat: asks for streams, arms, changes the mode, sends targets; each waits for the boat's word."""

import time
from collections.abc import Callable

import numpy as np
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.errors import BoatRefused, Interrupted, LinkLost
from akrig.frame import LocalFrame
from akrig.survey.link.alarms import Level
from akrig.survey.link.decoding import SONAR_STREAMS, STREAMS, GpsStatus, Position, PowerStatus, TimeStamp
from akrig.survey.link.guard import Guard
from akrig.survey.link.link import AUTOPILOT, Link
from akrig.survey.link.state import BoatState

POSITION_ONLY = 0b1101_1111_1000  # velocity, acceleration and yaw are ignored; some firmware needs a height, too
RESULTS = {
    mavlink.MAV_RESULT_TEMPORARILY_REJECTED: "not now",
    mavlink.MAV_RESULT_DENIED: "denied",
    mavlink.MAV_RESULT_UNSUPPORTED: "not supported",
    mavlink.MAV_RESULT_FAILED: "failed",
    None: "no answer",
}
SECONDS_BETWEEN_TRIES = 2.0
SECONDS_BETWEEN_NEWS = 5.0  # on this computer's clock, while a person waits
SECONDS_OF_STREAM_SILENCE = 4.0
NEEDED = (Position, GpsStatus, PowerStatus, TimeStamp)  # streams that are missed
MOST_ATTEMPTS = 5  # to set the speed: not every autopilot can
MODE_ATTEMPTS = 3  # a boat that has just found its position again refuses for a moment
A_HAIR = 3  # 1e-7 degrees by which a confirmed target may differ: floats on the way


class Helm:
    """Args:
    rate: soundings per second to ask for.
    ready: boat seconds to wait until it can be armed.
    tell: what it waits for.
    """

    def __init__(
        self,
        link: Link,
        state: BoatState,
        guard: Guard,
        *,
        frame: LocalFrame,
        rate: float,
        speed: float,
        ready: float,
        tell: Callable[[Level, str], None] = lambda level, message: None,
    ) -> None:
        self._link, self._state, self._guard, self._frame = link, state, guard, frame
        self._rate, self._speed, self._ready, self._tell = rate, speed, ready, tell
        self._why_not = ""
        self._asked_at = -float("inf")
        self._target: tuple[int, int] | None = None
        self._sent_at = -float("inf")
        self._place, self._degrees = (float("nan"), float("nan")), (0, 0)
        self._astern = True  # for all that is known: akrig may have been killed while the boat backed off
        self._speed_attempts = 0
        self._speed_told_at = -float("inf")

    def connect(self, seconds: float) -> None:
        """Until the boat is heard, and has told how its time runs; seconds on this computer's clock."""
        self._tell("info", f"Waiting for the boat at {self._link.address} ...")
        if not self._wait_telling(lambda: self._link.heartbeats > 0, seconds, lambda: f"Heard: {self._link.heard}."):
            raise LinkLost(
                f"No boat was heard at {self._link.address} for {seconds:.0f} s ({self._link.heard}); is it switched "
                "on, and does it send there? (A simulated one: `akrig boat`.)"
            )
        speedup = self._link.parameter("SIM_SPEEDUP", attempts=2) or 0.0  # only simulators have one
        self._link.speedup = speedup if speedup > 0 else 1.0
        self._state.clock.speedup = self._link.speedup
        self.ask_for_streams()
        self._link.wait(lambda: self._state.clock.is_known, 10.0)

    def _wait_telling(self, condition: Callable[[], bool], seconds: float, news: Callable[[], str]) -> bool:
        """Waits, and says now and then what there is to say, if that has changed; `Interrupted` if nobody waits."""
        until, told = time.monotonic() + seconds / self._link.speedup, ""
        while not self._link.wait(condition, min(SECONDS_BETWEEN_NEWS, until - time.monotonic()) * self._link.speedup):
            if self._link.is_interrupted:
                raise Interrupted("The wait for the boat was broken off.")
            if time.monotonic() >= until:
                return False
            told, before = news(), told
            if told != before:
                self._tell("info", told)
        return True

    def keep_streams(self) -> None:
        """Ask again for what does not come (any more): orders get lost, and boats that restart forget.

        In the link's thread.
        """
        patience = max(SECONDS_OF_STREAM_SILENCE / self._link.speedup, 0.5)
        pinged = self._state.clock.heard - self._state.pinged_at
        silent = not pinged <= SECONDS_OF_STREAM_SILENCE or any(self._state.silence(kind) > patience for kind in NEEDED)
        if self._link.heartbeats and silent and time.monotonic() - self._asked_at > patience:
            self.ask_for_streams()

    def ask_for_streams(self) -> None:
        self._asked_at = time.monotonic()
        for message, rate in (*STREAMS.items(), *((number, self._rate) for number in SONAR_STREAMS)):
            self._link.order(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, message, 1e6 / rate)

    def await_position(self, seconds: float) -> None:
        """Boat seconds; raises with the boat's own words if it has none by then."""
        state = self._state

        def is_there() -> bool:
            return state.track.latest is not None and state.track.latest.trusted

        def why_not() -> str:
            return f"{state.health.gps_trouble(99.0) or 'no position was sent'}{self._words()}"

        if self._wait_telling(is_there, seconds, lambda: f"Waiting for the boat's position ({why_not()}) ..."):
            self._link.wait(lambda: state.clock.is_known, 5.0)
        else:
            raise BoatRefused(f"The boat has no position yet ({why_not()}); wait under open sky, and try again.")

    def engage(self) -> None:
        """GUIDED and armed. Raises `BoatRefused` if the boat will not, `LinkLost` if it is no autopilot."""
        if not self._guard.begin_engaging():
            return
        try:
            if self._state.health.mode != "GUIDED":  # else the order would fight a pilot who is taking over just now
                self.change_mode("GUIDED")
            if not self._state.health.armed:
                self._arm()
        finally:
            self._guard.is_engaging = False
        self.go_astern(False)
        self._target, self._speed_attempts = None, 0

    def change_mode(self, mode: str) -> None:
        modes = self._state.modes
        if modes is None:
            raise LinkLost("The boat has not said what it is; is it an autopilot at all?")
        self._guard.note_requested_mode(mode)
        result = None
        for _ in range(MODE_ATTEMPTS):
            result = self._link.command(mavlink.MAV_CMD_DO_SET_MODE, *modes.parameters(mode))
            if result == mavlink.MAV_RESULT_UNSUPPORTED and modes.is_ardupilot:  # old firmware
                flag, number, _ = modes.parameters(mode)
                self._link.send(mavlink.MAVLink_set_mode_message(self._link.system or 1, int(flag), int(number)))
            if self._link.wait(lambda: self._state.health.mode == mode, 5.0):
                return
            if result is None or "pilot" in self._guard.pauses:
                break  # asked often enough already, or not ours to ask
        raise self._refusal(f"did not go into {mode}", result)

    def go_astern(self, astern: bool) -> None:
        """Stern first, or bow first again; in GUIDED, and only ArduPilot can. Without its yes, the boat turns round."""
        if self._is_ardupilot and astern is not self._astern:
            result = self._link.command(mavlink.MAV_CMD_DO_SET_REVERSE, float(astern), attempts=2)
            self._astern = astern if result == mavlink.MAV_RESULT_ACCEPTED else result is None  # perhaps it did

    def disarm(self) -> None:
        self._link.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0)

    def steer(self, place: tuple[float, float]) -> None:
        """Towards a place in local metres; sent again until the boat confirms it, and not more often."""
        target = self._on_the_wire(place)
        age = (time.monotonic() - self._sent_at) * self._link.speedup
        if target == self._target and (self._is_confirmed(target) or age < self._patience):
            self._set_speed()
            return
        self._target, self._sent_at = target, time.monotonic()
        self._link.send(
            mavlink.MAVLink_set_position_target_global_int_message(
                0, self._link.system or 1, AUTOPILOT, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT, POSITION_ONLY,
                target[0], target[1], 0, 0, 0, 0, 0, 0, 0, 0, 0,
            )
        )  # fmt: skip

    @property
    def is_under_way(self) -> bool:
        """Has the boat confirmed where it is to go? Who never confirms is believed."""
        return not self._is_ardupilot or self._state.target is None or self._is_confirmed(self._target)

    def _on_the_wire(self, place: tuple[float, float]) -> tuple[int, int]:
        """Latitude and longitude times 1e7; the same place is asked for many times a second."""
        if self._place != place:
            longitude, latitude = self._frame.to_degrees(np.array([place]))[0].tolist()
            self._place, self._degrees = place, (round(latitude * 1e7), round(longitude * 1e7))
        return self._degrees

    def _set_speed(self) -> None:
        """Rover takes a speed only while it is on its way to a target, and forgets it when the mode changes."""
        under_way = self._is_confirmed(self._target) or not self._is_ardupilot
        age = (time.monotonic() - self._speed_told_at) * self._link.speedup
        if not under_way or self._speed_attempts >= MOST_ATTEMPTS or age < SECONDS_BETWEEN_TRIES:
            return
        result = self._link.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1, self._speed, -1, attempts=1)
        done = result == mavlink.MAV_RESULT_ACCEPTED
        self._speed_attempts = MOST_ATTEMPTS if done else self._speed_attempts + 1
        self._speed_told_at = time.monotonic()

    @property
    def _is_ardupilot(self) -> bool:
        return self._state.modes is not None and self._state.modes.is_ardupilot

    @property
    def _patience(self) -> float:
        """Boat seconds between targets that nobody confirms; PX4 wants to hear them all the time."""
        return (3.0 if self._state.target is not None else 10.0) if self._is_ardupilot else 0.4

    def _is_confirmed(self, target: tuple[int, int] | None) -> bool:
        heard = self._state.target
        if not self._is_ardupilot or heard is None or target is None:
            return False
        return max(abs(heard[0] - target[0]), abs(heard[1] - target[1])) <= A_HAIR

    def _arm(self) -> None:
        """A boat refuses while its filter settles: it is asked again, until it must be ready."""
        health, begin, result = self._state.health, time.monotonic(), None
        while True:
            if health.mode != "GUIDED":  # never arm what somebody else steers
                why = f"Somebody changed the mode to {health.mode} while the boat was to be armed."
                self._guard.pause("pilot", why)
                raise BoatRefused(why)
            health.texts.clear()
            result = self._link.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1)
            if result == mavlink.MAV_RESULT_ACCEPTED and self._link.wait(lambda: health.armed, 3.0):
                return
            waited = (time.monotonic() - begin) * self._link.speedup
            if waited > self._ready or self._guard.ending is not None or self._link.failure is not None:
                raise self._refusal("cannot be armed", result)
            self._link.wait(lambda: health.mode != "GUIDED", SECONDS_BETWEEN_TRIES)
            self._say_why_not(result)

    def _say_why_not(self, result: int | None) -> None:
        """Each reason once: a boat that is waited for is asked for minutes."""
        why = f"The boat cannot be armed yet ({RESULTS.get(result, 'not armed')}{self._words()}); akrig asks again."
        if why != self._why_not:
            self._why_not = why
            self._tell("warning", why)

    def _refusal(self, what: str, result: int | None) -> BoatRefused:
        said = RESULTS.get(result, "it said yes, but did not do it")
        return BoatRefused(f"The boat {what} ({said}{self._words()}); see to it, then go on with `akrig resume`.")

    def _words(self) -> str:
        texts = [text for text in tuple(self._state.health.texts) if "arm" in text.lower() or "gps" in text.lower()]
        return f": {'; '.join(dict.fromkeys(texts))}" if texts else ""
