"""Is the sonar heard, and is what it says of any use?"""

from collections.abc import Callable

from akrig.survey.link.alarms import Ending, Level
from akrig.survey.link.state import BoatState

USELESS = 5  # times the silence: refused soundings may be a hole that is too deep, and the boat will have crossed it


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
