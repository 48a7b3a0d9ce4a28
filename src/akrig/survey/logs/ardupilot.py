"""Logs that an ArduPilot boat keeps on its own card (.bin), as pymavlink reads them."""

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from akrig.fields.soundings import Soundings
from akrig.files import check_file, reason, without_chatter
from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.pings import HeardSoundings

STEEPEST = 15.0  # degrees of roll or pitch: the beam does not look down any more
FIX = 3  # of GPS.Status: three dimensions
DOWN = "set RNGFND1_ORIENT 25 and keep the bit of rangefinders in LOG_BITMASK"


def read(path: Path) -> HeardSoundings:
    """Of the rangefinder with the most depths; `DPTH` has the autopilot's own position at the time."""
    check_file(path)
    try:
        heard, tilted = _heard(path)
    except OSError:
        raise
    except Exception as error:  # pymavlink raises that very class
        raise UnreadableLog(f"{path} cannot be read ({reason(error)}); fetch the log from the boat again.") from error
    if not heard:
        raise UnreadableLog(f"{path} has no depths (DPTH): the boat's rangefinder must look down; {DOWN}.")
    most = max(heard, key=lambda instance: len(heard[instance]))
    table = np.array(heard[most], dtype=np.float64)
    table = table[np.isfinite(table[:, [0, 3]]).all(axis=1)]
    left_out = ((tilted[most], f"at more than {STEEPEST:g} degrees of roll or pitch"),)
    return Soundings(table[:, 1:3].copy(), table[:, 3].copy(), table[:, 0].copy()), left_out


def _heard(path: Path) -> tuple[dict[int, list[tuple[float, ...]]], Counter[int]]:
    """Of each rangefinder: time, place and depth; and how many came while the boat was tilted."""
    heard: dict[int, list[tuple[float, ...]]] = {}
    tilted: Counter[int] = Counter()
    tilt, has_fix = 0.0, False
    with _opened(path) as log:
        for message in _messages(log):
            kind = message.get_type()
            if kind == "ATT":
                tilt = max(abs(message.Roll), abs(message.Pitch))
                continue
            if kind == "GPS":
                has_fix = message.Status >= FIX
                continue
            instance = int(getattr(message, "Inst", 0))
            if tilt > STEEPEST:
                tilted[instance] += 1
            else:
                longitude, latitude = (message.Lng, message.Lat) if has_fix else (np.nan, np.nan)
                heard.setdefault(instance, []).append((message._timestamp, longitude, latitude, message.Depth))
    return heard, tilted


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from pymavlink.DFReader import DFReader_binary

    log = DFReader_binary.__new__(
        DFReader_binary
    )  # it opens the file when it is made, and leaves it open if that fails
    try:
        # Of damaged bytes its C part tells one by one.
        with without_chatter():
            log.__init__(str(path))
        yield log
    finally:
        for name in ("filehandle", "data_map"):
            with suppress(AttributeError, BufferError):  # not opened yet; held by the error that is on its way
                getattr(log, name).close()


def _messages(log: Any) -> Iterator[Any]:
    """Without what pymavlink prints about damaged places, which it passes over."""
    while True:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            message = log.recv_match(type=["DPTH", "GPS", "ATT"], strict=True)
        if message is None:
            return
        yield message
