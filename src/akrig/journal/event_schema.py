"""What each event of a journal must hold to be read: a good checksum says who wrote it, not that it makes sense."""

import math
from collections.abc import Callable
from typing import Any

LARGEST = 1e30  # of any number: beyond, those of four bytes end, as maps hold them
MOST_DIMENSIONS = 3

Check = Callable[[Any], bool]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _count(value: Any) -> bool:
    return _number(value) and value >= 0 and value == int(value)


def _used(value: Any) -> bool:
    return _number(value) and value >= 0


def _loss(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value))


def _place(value: Any) -> bool:
    return isinstance(value, list) and 1 <= len(value) <= MOST_DIMENSIONS and all(map(_number, value))


def _places(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_place, value)) and len(set(map(len, value))) == 1


def _way(value: Any) -> bool:
    """With metres in the plane; what it is expected to leave."""
    if not isinstance(value, dict) or not _places(value.get("way")):
        return False
    return len(value["way"][0]) == 2 and _used(value.get("error"))


def _foresight(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("is_share"), bool):
        return False
    return _way(value.get("route")) and (value.get("lawnmower") is None or _way(value["lawnmower"]))


def _is(kind: type) -> Check:
    return lambda value: isinstance(value, kind)


def _or_nothing(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _moment(value: Any) -> bool:
    """NaN before the boat has begun, or told the date: who refused that could not go on with the survey."""
    return _number(value) or (isinstance(value, float) and math.isnan(value))


_text, _yes_or_no, _section = _is(str), _is(bool), _is(dict)
_HEARD = {"time": _moment, "unix": _or_nothing(_moment)}
SHAPES: dict[str, dict[str, Check]] = {
    "mission": {"format": _count},
    "plan": {"waypoints": _places},
    "measurement": {"time": _number, "position": _place, "value": _number},
    "epoch": {
        "index": _count, "loss": _loss, "position": _place, "heading": _number, "readings": _used, "distance": _used,
        "time": _used, "vehicle": _section,
    },
    "end": {"reason": _text},
    "fault": {"message": _text},
    "notice": {**_HEARD, "level": _text, "message": _text},
    "command": {**_HEARD, "command": _text, "accepted": _yes_or_no, "answer": _text},
    "home": {"position": _place},
    "sounding": {"id": _count, **_HEARD, "position": _place, "raw": _or_nothing(_number), "value": _number},
    "rejected": {"id": _count, **_HEARD, "position": _or_nothing(_place), "raw": _or_nothing(_number), "reason": _text},
}  # fmt: skip


# What not every event of a kind has.
MORE: dict[str, dict[str, Check]] = {"plan": {"foresight": _or_nothing(_foresight)}}


def check_event(event: dict[str, Any]) -> None:
    """`ValueError` if an event that this akrig knows does not hold what it should; others are of a later one."""
    kind = event.get("event")
    if not isinstance(kind, str):
        raise ValueError("it is no event")
    for name, holds in SHAPES.get(kind, {}).items():
        if name not in event:
            raise ValueError(f"its {kind} has no {name}")
        if not holds(event[name]):
            raise ValueError(f"the {name} of its {kind} cannot be {_shown(event[name])}")
    for name, holds in MORE.get(kind, {}).items():
        if not holds(event.get(name)):
            raise ValueError(f"the {name} of its {kind} cannot be {_shown(event[name])}")


def _shown(value: Any) -> str:
    words = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    return words if len(words) <= 40 else f"{words[:40]} ..."
