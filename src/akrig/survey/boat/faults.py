"""Faults on command: what can go wrong with the boat, when, and for how long."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from akrig.errors import AkrigError
from akrig.survey.boat.dialect import Mode

# name: what it is, for those who ask
NAMES: dict[str, str] = {
    "gps": "no GPS fix",
    "sonar": "the sonar is silent",
    "link": "no message gets through, in either direction",
    "battery": "the battery holds only this share, in percent (default 12)",
    "volts": "the battery shows only this voltage, whatever it holds (default 10)",
    "thruster": "left, right or both give only this share of thrust (default: both 0)",
    "reboot": "the autopilot restarts, now",
    "pilot": "the pilot flips the switch to this mode, now",
    "disarm": "the pilot switches the motors off, now",
    "failsafe": "the transmitter is lost, and the boat enters this mode by itself (default: as FS_ACTION says)",
    "clear": "all faults end, now",
}
AT_ONCE = frozenset({"reboot", "pilot", "disarm", "clear"})
SIDES = ("left", "right", "both")
_SCHEDULED = re.compile(r"^(?P<what>[^@]+)@(?P<at>[^+]+)(?:\+(?P<seconds>.+))?$")


class UnknownFault(AkrigError, ValueError):
    """Words that name no fault."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong.

    Args:
        name: one of `NAMES`.
        side: of a thruster.
        number: a share (thruster: 0 to 1, battery: percent), or volts.
        mode: the pilot's, or the failsafe's.
        seconds: until it is over by itself.
    """

    name: str
    side: str = "both"
    number: float = 0.0
    mode: Mode | None = None
    seconds: float = math.inf

    def __post_init__(self) -> None:
        if self.name not in NAMES or self.side not in SIDES or not self.seconds > 0:
            raise ValueError(f"A fault needs a name of {list(NAMES)}, a side of {SIDES}, seconds > 0; got {self}.")

    @property
    def words(self) -> str:
        mode = "" if self.mode is None else f" {self.mode.name}"
        more = {
            "thruster": f" {self.side} {self.number:g}",
            "battery": f" {self.number:g}",
            "volts": f" {self.number:g}",
            "pilot": mode,
            "failsafe": mode,
        }.get(self.name, "")
        lasting = f" for {self.seconds:g} s" if math.isfinite(self.seconds) and self.name not in AT_ONCE else ""
        return f"{self.name}{more}{lasting}"


@dataclass(frozen=True)
class ScheduledFault:
    """A fault at a boat second."""

    at: float
    fault: Fault


def parse_fault(text: str) -> Fault:
    """From words such as `gps`, `gps for 30`, `thruster left 0.5 for 20`, `battery 10`, `volts 10`, `pilot HOLD`."""
    words = text.split()
    seconds = math.inf
    if len(words) >= 3 and words[-2] == "for":
        seconds = _number(words[-1], text, most=math.inf)
        words = words[:-2]
    if not words or words[0] not in NAMES or seconds <= 0:
        raise UnknownFault(f"{text.strip()!r} is no fault; try one of: {', '.join(NAMES)}.")
    name, arguments = words[0], words[1:]
    fault = Fault(name, seconds=seconds, **_READERS[name](arguments, text) if name in _READERS else {})
    if arguments:
        raise UnknownFault(f"{text.strip()!r}: {name} takes no {' '.join(arguments)!r}; {name}: {NAMES[name]}.")
    return fault


def parse_schedule(text: str) -> ScheduledFault:
    """From `gps@120+30` (at boat second 120, for 30 s), `reboot@60`, `thruster left 0.5@40+20`, `pilot:HOLD@90`."""
    match = _SCHEDULED.match(text.strip())
    if match is None:
        raise UnknownFault(f"{text!r} is no scheduled fault; try gps@120+30, which is at boat second 120 for 30 s.")
    words = match["what"].replace(":", " ") + (f" for {match['seconds']}" if match["seconds"] else "")
    return ScheduledFault(_number(match["at"], text, most=math.inf), parse_fault(words))


def _number(word: str, text: str, *, most: float) -> float:
    try:
        number = float(word)
    except ValueError:
        raise UnknownFault(f"{text.strip()!r}: {word!r} is no number; try {'0.5' if most == 1 else '30'}.") from None
    if not 0 <= number <= most or not math.isfinite(number):
        raise UnknownFault(f"{text.strip()!r}: {word} is not between 0 and {most:g}; try another number.")
    return number


def _mode(word: str, text: str) -> Mode:
    known = [mode.name for mode in Mode if mode is not Mode.INITIALIZING]
    if word.upper() not in known:
        raise UnknownFault(f"{text.strip()!r}: {word!r} is no mode; try one of: {', '.join(known)}.")
    return Mode[word.upper()]


def _thruster(arguments: list[str], text: str) -> dict[str, Any]:
    side = arguments.pop(0) if arguments and arguments[0] in SIDES else "both"
    return {"side": side, "number": _number(arguments.pop(0), text, most=1) if arguments else 0.0}


def _numbered(default: float, *, most: float) -> "_Reader":
    def read(arguments: list[str], text: str) -> dict[str, Any]:
        return {"number": _number(arguments.pop(0), text, most=most) if arguments else default}

    return read


def _in_mode(default: Mode | None) -> "_Reader":
    def read(arguments: list[str], text: str) -> dict[str, Any]:
        return {"mode": _mode(arguments.pop(0), text) if arguments else default}

    return read


_Reader = Callable[[list[str], str], dict[str, Any]]
# What is said after a fault's name; what is understood is taken off the list.
_READERS: dict[str, _Reader] = {
    "thruster": _thruster,
    "battery": _numbered(12.0, most=100),
    "volts": _numbered(10.0, most=100),
    "pilot": _in_mode(Mode.MANUAL),
    "failsafe": _in_mode(None),
}
