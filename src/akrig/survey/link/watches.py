"""Watches over battery and sonar: is there charge enough to go on, and is what the sonar says of any use?"""

from collections.abc import Callable

from akrig.survey.link.alarms import Ending, Level
from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.state import BoatState, Health

SHARE_GRACE = 5.0  # boat seconds
VOLTS_GRACE = 8.0  # a motor that starts pulls the voltage down for a moment; ArduPilot itself waits 10 s
MOST_OF_IT = 0.5  # of the charge: a battery that claims more, at low voltage, is not believed
NO_BATTERY = 1.0  # volts: less is no monitor
USELESS = 5  # times the silence: refused soundings may be a hole that is too deep, and the boat will have crossed it


class BatteryWatch:
    """In the link's thread.

    Args:
        share: of the charge, below which the boat must come home.

    Attributes:
        volts: below which it must come home, whatever share it says is left; `None` if nobody knows a limit.
    """

    def __init__(self, health: Health, periods: GracePeriods, *, share: float, volts: float | None) -> None:
        self.volts = volts
        self._health, self._periods, self._share = health, periods, share

    def trouble(self) -> str | None:
        """What is low, in words, once it has been so for a while."""
        by_volts = self._lasts("volts", self._volts_are_low, VOLTS_GRACE)
        by_share = self._lasts("battery", self._share_is_low, SHARE_GRACE)
        if by_volts:
            assert self.volts is not None
            share = self._health.battery
            doubt = f"; the {share:.0%} that it reports cannot be right" if share and share > MOST_OF_IT else ""
            return f"at {self._health.voltage:.2f} V, below {self.volts:g} V{doubt}"
        return f"at {self._health.battery:.0%}" if by_share else None

    @property
    def _volts_are_low(self) -> bool:
        voltage = self._health.voltage
        return self.volts is not None and voltage is not None and NO_BATTERY < voltage < self.volts

    @property
    def _share_is_low(self) -> bool:
        return self._health.battery is not None and self._health.battery < self._share

    def _lasts(self, what: str, is_so: bool, seconds: float) -> bool:
        if not is_so:
            self._periods.over(what)
        return is_so and self._periods.longer_than(what, seconds)


class SonarWatch:
    """Boat seconds without any sounding, and without one that was accepted; in the link's thread.

    Args:
        silence: seconds without a sounding after which the boat comes home.
    """

    def __init__(self, state: BoatState, *, silence: float, say: Callable[[Level, str], None]) -> None:
        self._state, self._silence, self._say = state, silence, say
        self._accepted_at = 0.0
        self._refused: str | None = None
        self._has_warned = False

    def begin(self) -> None:
        """Nothing that was before counts."""
        self._accepted_at = self._state.pinged_at = self._state.clock.heard

    def leave_out(self, seconds: float) -> None:
        """Nobody listened for so long."""
        self._state.pinged_at += seconds
        self._accepted_at += seconds

    def judge(self, reason: str | None) -> None:
        """A sounding was accepted, or refused with this reason."""
        self._refused = reason
        if reason is None:
            self._accepted_at = self._state.clock.heard
            if self._has_warned:
                self._has_warned = False
                self._say("info", "Soundings are accepted again.")

    def check(self) -> Ending | None:
        heard = self._state.clock.heard
        silent, useless = heard - self._state.pinged_at, heard - self._accepted_at
        if silent > self._silence:
            self._say("alarm", f"No sounding for {silent:.0f} s: the boat comes home.")
            return Ending("return", f"The sonar was silent for {silent:.0f} s.")
        if useless > USELESS * self._silence:
            self._say("alarm", f"No usable sounding for {useless:.0f} s ({self._refused}): the boat comes home.")
            return Ending("return", f"The sonar brought nothing usable for {useless:.0f} s: {self._refused}.")
        if useless > self._silence and not self._has_warned:
            self._has_warned = True
            after = f"after {USELESS * self._silence:.0f} s the boat comes home"
            self._say(
                "warning",
                f"No usable sounding for {useless:.0f} s, the last one was refused: {self._refused}; {after}.",
            )
        return None
