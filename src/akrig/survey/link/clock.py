"""The boat's time: from milliseconds since it was switched on to seconds since 1970, also across a restart."""

import time

A_REAL_DATE = 1_500_000_000  # seconds since 1970: a GPS that has no time yet says less
RESTARTED = 2_000  # milliseconds that a clock must fall back before it counts as a restart
ANOTHER_DATE = 5.0  # seconds by which a date may differ from the last one before the boat must have restarted
HEARD_LATE = 2.0  # boat seconds that soundings may be on their way: when a survey goes on, its time must not go back
GOOD_GUESS = 1.0  # seconds by which the guess after a restart may be ahead: better than times that go back


class BoatClock:
    """Knows what the boat's own clock says, and how fast it runs compared with this computer's.

    Only time stamps of the autopilot itself may be heard: other components count from their own start.

    Attributes:
        restarts: how often the boat was switched on again.
        corrected: seconds by which guessed dates were set right, in all; who counts seconds must not count these.

    Args:
        speedup: of simulated boats; 1 for real ones.
    """

    def __init__(self, *, speedup: float = 1.0) -> None:
        self.speedup = speedup
        self.restarts = 0
        self.corrected = 0.0
        self._latest_boot = -1  # milliseconds
        self._offset: float | None = None  # unix seconds at boot
        self._known = False  # from the GPS, not guessed
        self._at = time.monotonic()

    @property
    def is_known(self) -> bool:
        """Has the boat told the date since it was last switched on?"""
        return self._known

    @property
    def now(self) -> float:
        """Unix seconds, as the boat counts them; goes on between messages."""
        return self._unix(self._latest_boot) + (time.monotonic() - self._at) * self.speedup

    @property
    def heard(self) -> float:
        """Unix seconds of the latest time stamp that came: stands still while nothing does."""
        return self._unix(self._latest_boot)

    def hear(self, boot_ms: int, unix_us: int | None = None) -> float:
        """A time stamp arrived; returns it in unix seconds."""
        if boot_ms < self._latest_boot - RESTARTED:
            self._restart(boot_ms)
        if boot_ms >= self._latest_boot:
            self._latest_boot, self._at = boot_ms, time.monotonic()
        if unix_us is not None and unix_us / 1e6 > A_REAL_DATE:
            self._date(unix_us / 1e6 - boot_ms / 1e3)
        return self._unix(boot_ms)

    def _date(self, offset: float) -> None:
        change = 0.0 if self._offset is None else offset - self._offset
        if self._known and abs(change) <= ANOTHER_DATE:
            return
        if not self._known and self.restarts and -GOOD_GUESS <= change < 0:
            self._known = True
            return
        if self._known:
            self.restarts += 1  # it was away for longer than it had been on: its milliseconds did not fall back
        else:
            self.corrected += change
        self._offset, self._known = offset, True

    def _restart(self, boot_ms: int) -> None:
        before = self.now
        self.restarts += 1
        self._offset, self._known = before - boot_ms / 1e3, False  # a guess, until the boat tells the date again
        self._latest_boot, self._at = boot_ms, time.monotonic()

    def _unix(self, boot_ms: int) -> float:
        if self._offset is None:
            self._offset = time.time() - max(boot_ms, 0) / 1e3
        return max(boot_ms, 0) / 1e3 + self._offset


class MissionClock:
    """Seconds since the mission began, by the boat's clock.

    Args:
        begin: seconds that the mission has lasted already.
    """

    def __init__(self, boat: BoatClock, *, begin: float = 0.0) -> None:
        self.begin, self.is_running = begin, False
        self._boat, self._unix_begin, self._corrected = boat, float("nan"), 0.0

    def start(self) -> None:
        late = HEARD_LATE if self.begin > 0 else 0.0
        self._unix_begin, self._corrected = self._boat.now - late, self._boat.corrected
        self.is_running = True

    @property
    def now(self) -> float:
        return self.moment(self._boat.now) if self.is_running else self.begin

    @property
    def heard(self) -> float:
        """Of the latest time stamp that came: stands still while nothing does."""
        return self.moment(self._boat.heard)

    def moment(self, unix: float) -> float:
        """A date that is set right later is no time that passed."""
        return self.begin + unix - self._unix_begin - (self._boat.corrected - self._corrected)
