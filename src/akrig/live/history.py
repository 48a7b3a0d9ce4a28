"""What happened on a mission, in columns that a page can draw: readings, plans, the boat, and a log in plain words."""

import math
from contextlib import suppress
from typing import Any

from akrig.journal.event_schema import check_event
from akrig.journal.events import Event
from akrig.journal.plans import foresight_of
from akrig.live.streams import Stream, Streams

ORDER_WORDS = {
    "hold": "Hold",
    "resume": "Go on",
    "return": "Return home",
    "skip": "Skip this waypoint",
    "goto": "Go there next",
}
ENDS = {
    "budget": "The budget is spent: the mission is over.",
    "target": "The map is as certain as was asked for: the mission is over.",
}
QUARTERS = {1: "A quarter", 2: "Half", 3: "Three quarters"}


class MissionHistory:
    """Takes in the events of a journal, and the boat's telemetry.

    Args:
        budget: readings, metres and seconds; what is not limited is `None`.

    Attributes:
        soundings: that the sonar gave and akrig accepted; the model gets some of them as readings.
        ended: why the mission is over, or `None`.
        home: where the boat began, if the area does not say.
    """

    def __init__(self, budget: dict[str, float | None]) -> None:
        self._budget = budget
        self.streams = Streams(
            readings=Stream("t", "x", "y", "v"),
            rejected=Stream("t", "x", "y", "reason"),
            plans=Stream("t", "n", "waypoints", "foresight"),
            epochs=Stream("t", "n", "d", "x", "y", "h"),
            log=Stream("t", "level", "text"),
            boat=Stream(
                "t", "x", "y", "h", "speed", "mode", "armed", "battery", "voltage", "fix", "satellites", "hdop",
                "depth", "silence", "waiting", "goal",
            ),
            heard=Stream("t", "n"),
        )  # fmt: skip
        self.start_over()

    def start_over(self) -> None:
        """The journal was written anew."""
        for name in ("readings", "rejected", "plans", "epochs", "log", "heard"):
            getattr(self.streams, name).cut(0)
        self.soundings, self.ended, self.home = 0, None, None
        self._time, self._kept, self._quarters = 0.0, 0, 0

    def add_event(self, event: Event) -> None:
        """What this akrig does not know is passed over."""
        time = event.get("time")
        if isinstance(time, int | float) and math.isfinite(time):
            self._time = max(self._time, float(time))
        handle = getattr(self, f"_on_{event['event']}", None)
        if handle is not None:
            handle(event)

    # -- the mission -----------------------------------------------------------------------------------------------

    def _on_mission(self, event: Event) -> None:
        self._log("info", "The mission begins.")

    def _on_plan(self, event: Event) -> None:
        self.streams.readings.cut(self._kept)  # a leg that was broken off and repeated counts once
        row = (_places(event["waypoints"]), _foresight(event))
        self.streams.plans.append(_round(self._time), len(self.streams.readings), *row)

    def _on_measurement(self, event: Event) -> None:
        x, y = event["position"]
        self.streams.readings.append(
            _later(self.streams.readings, event["time"]), _round(x), _round(y), _digits(event["value"])
        )

    def _on_epoch(self, event: Event) -> None:
        x, y = event["position"]
        self._kept = len(self.streams.readings)
        if not len(self.streams.epochs):
            self._log("good", f"The pilot pass is done, {self._kept} readings. From now on akrig chooses where to go.")
        self.streams.epochs.append(
            _later(self.streams.epochs, event["time"]),
            self._kept,
            _round(event["distance"]),
            _round(x),
            _round(y),
            _round(event["heading"]),
        )
        self._tell_quarters(event)
        self.ended = None  # a mission that was over and goes on

    def _tell_quarters(self, event: Event) -> None:
        shares = [event[name] / limit for name, limit in self._budget.items() if limit]
        quarters = min(int(4 * max(shares, default=0.0)), 3)
        if quarters > self._quarters:
            self._quarters = quarters
            self._log("info", f"{QUARTERS[quarters]} of the budget is spent.")

    def _on_end(self, event: Event) -> None:
        self.ended = event["reason"]
        known = ENDS.get(self.ended)
        self._log("good" if known else "warning", known or f"The mission ended early: it {self.ended}")

    def _on_fault(self, event: Event) -> None:
        self._log("alarm", f"The mission stopped: {event['message']}")

    # -- the boat --------------------------------------------------------------------------------------------------

    def _on_home(self, event: Event) -> None:
        self.home = [_round(v) for v in event["position"]]

    def _on_sounding(self, event: Event) -> None:
        self.soundings += 1
        self._hear_sonar(event)

    def _hear_sonar(self, event: Event) -> None:
        """Once a second is enough to see whether it is silent, and how many soundings there are, rejected ones too."""
        heard, time = self.streams.heard, event["time"]
        if not len(heard) or time - heard["t"][-1] >= 1.0:
            heard.append(_round(time), self.soundings + len(self.streams.rejected))

    def _on_rejected(self, event: Event) -> None:
        x, y = event["position"] or (None, None)
        self.streams.rejected.append(
            _later(self.streams.rejected, event["time"]), _round(x), _round(y), str(event["reason"])
        )
        self._hear_sonar(event)

    def _on_notice(self, event: Event) -> None:
        self._log(event["level"], event["message"])

    def _on_command(self, event: Event) -> None:
        words = ORDER_WORDS.get(event["command"], event["command"])
        answer = str(event["answer"])
        accepted = event["accepted"]
        self._log("info" if accepted else "warning", f"{words}: {'' if accepted else 'refused, '}{answer}.")

    def add_telemetry(self, state: dict[str, Any]) -> None:
        numbers = [_round(state.get(name)) for name in ("x", "y", "heading", "speed")]
        health = [
            _digits(state.get(name)) for name in ("battery", "voltage", "fix", "satellites", "hdop", "depth", "link")
        ]
        goal = state.get("goal")
        self.streams.boat.append(
            _later(self.streams.boat, state["time"]), *numbers, str(state.get("mode", "")), bool(state.get("armed")),
            *health,
            " ".join(str(why) for why in state.get("waiting") or ()),
            None if goal is None else [_round(v) for v in goal],
        )  # fmt: skip

    def _log(self, level: str, text: str) -> None:
        self.streams.log.append(_round(self._time), level, text)


def _later(stream: Stream, time: float) -> float:
    """A boat's clock may be set back a little when it is corrected; pages look moments up in the order of time."""
    before = stream["t"][-1] if len(stream) else 0.0
    return max(before, _round(time) or 0.0)


def _places(way: Any) -> list[list[float | None]]:
    return [[_round(v) for v in place] for place in way]


def _foresight(event: Event) -> dict[str, Any] | None:
    """What the planner meant beyond this plan; nothing of one that cannot be read, whose waypoints are good."""
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        check_event(event)
        foresight = foresight_of(event)
        if foresight is not None:
            ways = {"route": foresight.route, "lawnmower": foresight.lawnmower}
            told = {
                name: None
                if way is None
                else {"way": _places(way.places.tolist()), "error": _digits(way.error), "metres": _round(way.metres)}
                for name, way in ways.items()
            }
            return {"isShare": foresight.is_share, **told}
    return None


def _round(value: Any) -> float | None:
    """Centimetres, hundredths of seconds and of radians: enough to look at."""
    return round(value, 2) if isinstance(value, int | float) and math.isfinite(value) else None


def _digits(value: Any) -> float | None:
    return float(f"{value:.6g}") if isinstance(value, int | float) and math.isfinite(value) else None
