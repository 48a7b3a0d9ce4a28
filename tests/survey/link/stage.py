"""A guard with everything it looks at; time is moved by hand, and a boat of a few lines obeys, or does not."""

from collections.abc import Callable
from typing import Any

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.config.survey import LinkSettings, SafetySettings
from akrig.survey.area import Area
from akrig.survey.link import clock as clock_module
from akrig.survey.link import grace_periods as grace_module
from akrig.survey.link import guard as guard_module
from akrig.survey.link import mode_watch as mode_watch_module
from akrig.survey.link import orders as orders_module
from akrig.survey.link import state as state_module
from akrig.survey.link.decoding import decode
from akrig.survey.link.guard import Guard
from akrig.survey.link.link import Link
from akrig.survey.link.modes import ARDUPILOT
from akrig.survey.link.state import BoatState
from tests.survey.link.hand import Hand
from tests.survey.link.rig import FRAME, lake, parsed, wire

STEP = 0.2
DATE = 1_780_000_000


class FakeLink(Link):
    """A link that is never opened: it writes down what it is told to send."""

    def __init__(self, hand: Hand) -> None:
        super().__init__("udpin:127.0.0.1:1")
        self.heard_at, self._hand = hand.now, hand
        self.orders: list[tuple[int, tuple[float, ...]]] = []

    @property
    def silence(self) -> float:
        return self._hand.now - self.heard_at

    def order(self, number: int, *parameters: float, confirmation: int = 0) -> None:
        self.orders.append((number, parameters))

    def modes(self) -> list[str]:
        """All that were ordered, by name."""
        names = {number: name for name, number in ARDUPILOT.items()}
        return [names[int(given[1])] for number, given in self.orders if number == mavlink.MAV_CMD_DO_SET_MODE]


class Stage:
    """Args:
    limits: of the guard.
    """

    def __init__(self, monkeypatch: Any, *, area: Area | None = None, **limits: Any) -> None:
        self.hand = Hand()
        modules = (guard_module, grace_module, mode_watch_module, state_module, clock_module)
        for module in (*modules, orders_module):
            monkeypatch.setattr(module, "time", self.hand)
        self.link = FakeLink(self.hand)
        self.told: list[tuple[str, str]] = []
        self.state = BoatState(FRAME, source="auto", max_hdop=3.0)
        self.guard = Guard(
            area or lake(), self.state, self.link, safety=SafetySettings(**limits),
            link_timeout=LinkSettings().timeout, tell=lambda level, message: self.told.append((level, message)),
        )  # fmt: skip
        # The boat, as it is; a test may change everything.
        self.mode, self.armed, self.status = "GUIDED", True, mavlink.MAV_STATE_ACTIVE
        self.place, self.velocity = (0.0, 0.0), (0.0, 0.0)
        self.fix, self.hdop, self.battery, self.millivolts = 3, 80, 90, 14_800
        self.booted = self.hand.now - 100
        self.is_heard, self.is_pinging, self.obeys = True, True, True
        self.refusal: str | None = None  # of all soundings
        self._obeyed = 0

    def begin(self) -> "Stage":
        """Akrig steers."""
        self.run(2)
        self.guard.note_requested_mode("GUIDED")
        self.guard.take_charge()
        self.guard.must_engage = False
        self.run(2)
        assert self.guard.is_clear
        assert self.told == []
        return self

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.hand.now += STEP
            self.place = (self.place[0] + STEP * self.velocity[0], self.place[1] + STEP * self.velocity[1])
            self._obey()
            if self.is_heard:
                self.speak()
            self.guard.tick()

    def run_until(self, question: Callable[[], Any], *, seconds: float = 60.0) -> None:
        for _ in range(round(seconds / STEP)):
            if question():
                return
            self.run(STEP)
        raise AssertionError(f"did not happen within {seconds} s; told {self.told}")

    def speak(self) -> None:
        self.link.heard_at = self.hand.now
        boot = round((self.hand.now - self.booted) * 1000)
        armed = mavlink.MAV_MODE_FLAG_SAFETY_ARMED if self.armed else 0
        latitude, longitude = wire(*self.place)
        east, north = (round(100 * part) for part in self.velocity)
        words = [
            mavlink.MAVLink_heartbeat_message(11, 3, 1 | armed, ARDUPILOT[self.mode], self.status, 3),
            mavlink.MAVLink_system_time_message(round(self.hand.time() * 1e6), boot),
            mavlink.MAVLink_gps_raw_int_message(0, self.fix, 0, 0, 0, self.hdop, 65535, 0, 0, 12),
            mavlink.MAVLink_sys_status_message(0, 0, 0, 0, self.millivolts, 0, self.battery, 0, 0, 0, 0, 0, 0),
            mavlink.MAVLink_global_position_int_message(boot, latitude, longitude, 0, 0, north, east, 0, 0),
        ]
        if self.is_pinging:
            words.append(mavlink.MAVLink_rangefinder_message(5.0, 0.0))
        for message in words:
            self.hear(message)
        if self.is_pinging:
            self.guard.sonar.judge(self.refusal)

    def texts(self, text: str) -> None:
        """The boat says something."""
        self.hear(mavlink.MAVLink_statustext_message(4, text.encode()))

    def hear(self, message: Any) -> None:
        event = decode(parsed(message))
        assert event is not None
        self.state.update(event)

    def said(self, words: str) -> bool:
        return any(words in message for _, message in self.told)

    def _obey(self) -> None:
        ordered = self.link.modes()
        if self.obeys and len(ordered) > self._obeyed:
            self.mode = ordered[-1]
        self._obeyed = len(ordered)
