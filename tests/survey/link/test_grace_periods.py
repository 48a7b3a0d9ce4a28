"""How long something has been so, by the boat's clock."""

from akrig.survey.link.clock import BoatClock
from akrig.survey.link.grace_periods import GracePeriods
from akrig.survey.link.link import Link


class Boat:
    """Whose clock is moved on by hand; this computer's does not matter."""

    def __init__(self) -> None:
        self.clock, self.link, self.milliseconds = BoatClock(), Link("udpin:127.0.0.1:1"), 1000
        self.clock.hear(self.milliseconds)
        self.periods = GracePeriods(self.clock, self.link)
        self.periods.begin()

    def run(self, seconds: float, *, heard: bool = True) -> float:
        """Boat seconds that were missed."""
        missed = 0.0
        for _ in range(round(seconds)):
            self.milliseconds += 1000
            if heard:
                self.clock.hear(self.milliseconds)
                missed += self.periods.missed()
        return missed


def test_counts_from_when_it_was_first_seen_until_it_is_over():
    boat = Boat()
    assert not boat.periods.longer_than("trouble", 3)
    boat.run(2)
    assert not boat.periods.longer_than("trouble", 3)
    boat.run(2)
    assert boat.periods.longer_than("trouble", 3)
    boat.periods.over("trouble")
    assert not boat.periods.longer_than("trouble", 3)


def test_what_nobody_listened_to_does_not_count():
    boat = Boat()
    boat.periods.longer_than("trouble", 10)
    boat.run(5)
    assert boat.run(100, heard=False) == 0
    assert boat.run(1) == 101
    assert not boat.periods.longer_than("trouble", 10)
    boat.run(6)
    assert boat.periods.longer_than("trouble", 10)


def test_a_simulated_boats_seconds_are_stretched_for_a_busy_computer():
    boat = Boat()
    assert boat.periods.at_least(5.0) == 5.0
    boat.link.speedup = 20.0
    assert boat.periods.at_least(5.0) == 30.0
