"""Time moved by hand, in place of the module `time`."""


class Hand:
    """Args:
    date: unix seconds when its own count is zero.
    """

    def __init__(self, date: float = 1_780_000_000.0) -> None:
        self.now, self._date = 1000.0, date

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self._date + self.now
