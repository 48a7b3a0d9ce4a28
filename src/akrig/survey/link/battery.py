"""Is there charge enough to go on, by per cent and by volts?"""

from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.state import Health

SHARE_GRACE = 5.0  # boat seconds
VOLTS_GRACE = 8.0  # a motor that starts pulls the voltage down for a moment; ArduPilot itself waits 10 s
MOST_OF_IT = 0.5  # of the charge: a battery that claims more, at low voltage, is not believed
NO_BATTERY = 1.0  # volts: less is no monitor


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
