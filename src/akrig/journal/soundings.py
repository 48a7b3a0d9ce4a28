"""A survey writes each sounding once, with an id; the reading that the mission makes of it only refers to it."""

from typing import Any

CONTENT = {"time", "position", "value"}  # of a reading


class SoundingReferences:
    """Makes readings whole again, as a journal is read from its beginning.

    Journals used to have no ids: a sounding's is then its number, and a reading is known by its time.

    Attributes:
        last_id: of the soundings so far, accepted and rejected; 0 before the first.
    """

    def __init__(self) -> None:
        self.last_id = 0
        self._unused: dict[int, dict[str, Any]] = {}  # accepted, since the last one that was used

    def resolved(self, event: dict[str, Any]) -> dict[str, Any]:
        """The event with all that belongs to it; `ValueError` if it refers to nothing."""
        kind = event.get("event")
        if kind in ("sounding", "rejected"):
            return self._heard(event)
        if kind == "measurement" and ("sounding" in event or self._unused):
            return self._used(event)
        return event

    def _heard(self, event: dict[str, Any]) -> dict[str, Any]:
        id = event.get("id", self.last_id + 1)
        if not isinstance(id, int) or id <= self.last_id:
            raise ValueError(f"sounding {id} comes after sounding {self.last_id}")
        self.last_id = id
        event = {**event, "id": id}
        if event["event"] == "sounding":
            self._unused[id] = event
        return event

    def _used(self, event: dict[str, Any]) -> dict[str, Any]:
        id = event.get("sounding")
        if id is None:
            id = next((id for id, sounding in self._unused.items() if sounding.get("time") == event.get("time")), None)
            if id is None:
                return event  # of another sensor
        if not isinstance(id, int) or not self._unused.get(id, {}).keys() >= CONTENT:
            raise ValueError(f"there is no sounding {id} that it could be")
        content = {name: value for name, value in self._unused[id].items() if name in CONTENT}
        self._unused = {later: kept for later, kept in self._unused.items() if later > id}
        return {**event, "sounding": id, **content}
