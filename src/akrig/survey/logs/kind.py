"""What a log is, by a look at its beginning; needs nothing that only surveys need."""

import re
from pathlib import Path
from typing import Literal

from akrig.files import open_file
from akrig.format_parts import LOGS, LogPart
from akrig.journal.legs import UnreadableLog
from akrig.words import number_in

Kind = Literal["folder", "recording", "table", "soundings"]
LOOKED_AT = 4096  # bytes


def log_of(path: Path) -> LogPart:
    """Which of `LOGS` it is; a table of soundings, if it is none that is known by its first bytes."""
    begin = _beginning(path)
    return next((log for log in LOGS.values() if log.is_of(begin)), LOGS["soundings"])


def kind_of(path: Path) -> Kind:
    """By what is in it, not by its name; a table is what nothing else fits, soundings are all of `LOGS`."""
    if path.is_dir():
        return "folder"
    begin = _beginning(path)
    if begin.startswith(b"\x89MCAP0\r\n"):
        return "recording"
    if path.suffix.lower() == ".mcap":
        raise UnreadableLog(f"{path} is not an MCAP file, whatever its name says; give the file that was recorded.")
    if any(log.is_of(begin) for log in LOGS.values()):
        return "soundings"
    first = begin.decode("utf-8-sig", errors="replace").splitlines()[:1]
    words = [word.strip().lower() for word in re.split("[,;\t]", first[0])] if first else []
    if {"x", "y", "value"} <= set(words):
        return "table"
    named = any(word.startswith("lat") for word in words) and any(word.startswith("lon") for word in words)
    return "soundings" if named or (len(words) > 2 and all(number_in(word) is not None for word in words)) else "table"


def _beginning(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read(LOOKED_AT)
