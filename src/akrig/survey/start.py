"""Where and when a stretch of a survey begins: the boat's place, the mission's clock, soundings that were left over."""

import math

import numpy as np

from akrig.errors import BoatRefused
from akrig.geometry import Pose
from akrig.journal.events import Event
from akrig.survey.area import Area
from akrig.types import Measurement


def check_in_area(area: Area, pose: Pose) -> None:
    """A boat that is not in the area means a wrong polygon, or a boat still on its trailer."""
    outside = -float(area.clearance(np.array([pose.position], dtype=float))[0])
    if outside > 0:
        away = f"{outside:.0f} m" if outside < 2000 else f"{outside / 1000:.0f} km"
        raise BoatRefused(
            f"The boat is at {in_degrees(area, pose.position)}, {away} outside {area.called} or in a keep-out; bring "
            "it inside, or check the polygon (latitude and longitude swapped? on land?)."
        )


def in_degrees(area: Area, place: tuple[float, ...]) -> str:
    longitude, latitude = area.frame.to_degrees(np.array([place], dtype=float))[0].tolist()
    return f"{latitude:.6f}, {longitude:.6f}"


def last_time(events: list[Event]) -> float:
    """Seconds since the mission began, of the last thing that was written down."""
    times = [event["time"] for event in events if isinstance(event.get("time"), int | float)]
    return max((time for time in times if not math.isnan(time)), default=0.0)


def unused_soundings(events: list[Event]) -> list[Measurement]:
    """Accepted soundings that the mission had not taken up when it was interrupted."""
    used = max((event.get("sounding", 0) for event in events if event["event"] == "measurement"), default=0)
    late = [event for event in events if event["event"] == "sounding" and event["id"] > used]
    return [Measurement(event["time"], tuple(event["position"]), event["value"], event["id"]) for event in late]


def last_id(events: list[Event]) -> int:
    """Of the soundings so far."""
    return max((event["id"] for event in events if event["event"] in ("sounding", "rejected")), default=0)
