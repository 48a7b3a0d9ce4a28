"""Soundings out of an MCAP recording of a survey, also of one that was cut off."""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from mcap.exceptions import McapError
from mcap.records import Channel, Chunk, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk
from zstandard import ZstdError

from akrig.files import open_file
from akrig.frame import LocalFrame
from akrig.journal.legs import UnreadableLog
from akrig.types import Points, Values

SOUNDINGS = "/soundings"
# What reading a file raises that was cut off or overwritten: RuntimeError is lz4's, ValueError a wrong checksum.
CUT_OFF = (McapError, struct.error, ZstdError, RuntimeError, ValueError, EOFError)
LARGEST_CHUNK = 200_000_000  # bytes, unpacked: akrig's have about a million
ORIGIN = "akrig"  # the metadata record with the frame that the survey's metres are in


@dataclass(frozen=True, eq=False)
class RecordedSoundings:
    """What a recording holds of the sea bed.

    Args:
        lonlat: longitude and latitude of each accepted sounding.
        depth: corrected.
        time: unix seconds.
        used: which of them the survey's own model was given.
        num_rejected: soundings the survey did not believe.
        is_whole: the file ends as it should.
    """

    lonlat: Points
    depth: Values
    time: Values
    used: np.ndarray
    num_rejected: int
    frame: LocalFrame | None
    is_whole: bool


@dataclass
class _Found:
    """What was met so far."""

    topics: dict[int, tuple[str, str]] = field(default_factory=dict)  # channel -> topic, encoding
    accepted: list[tuple[float, float, float, float, bool]] = field(default_factory=list)
    num_rejected: int = 0
    frame: LocalFrame | None = None
    is_whole: bool = False


def read_recording(path: Path) -> RecordedSoundings:
    """One pass; a file that ends too early gives what lies before the cut."""
    found = _Found()
    for record in _records(path, found):
        _take(path, record, found)
    topics = sorted(topic for topic, _ in found.topics.values())
    if SOUNDINGS not in topics and found.frame is None:
        there = f"it holds {', '.join(topics[:5])}{' ...' if len(topics) > 5 else ''}" if topics else "it holds nothing"
        raise UnreadableLog(
            f"{path} is no recording of an akrig survey: {there}, but no {SOUNDINGS}; "
            "export its soundings as CSV with latitude, longitude, depth."
        )
    table = np.array(found.accepted, dtype=np.float64).reshape(-1, 5)
    return RecordedSoundings(
        table[:, 1:3].copy(), table[:, 3], table[:, 0], table[:, 4] > 0, found.num_rejected, found.frame, found.is_whole
    )


def _records(path: Path, found: _Found) -> Iterator[Any]:
    limit = path.stat().st_size  # a length in a damaged file may be anything
    with open_file(path) as file:
        try:
            stream: Any = _Bounded(file, limit)
            for record in StreamReader(stream, validate_crcs=True, emit_chunks=True, record_size_limit=limit).records:
                if isinstance(record, Chunk) and record.uncompressed_size > LARGEST_CHUNK:  # before room is made for it
                    raise ValueError(f"A chunk says that it holds {record.uncompressed_size} bytes.")
                yield from breakup_chunk(record, validate_crc=True) if isinstance(record, Chunk) else (record,)
            found.is_whole = True
        except CUT_OFF:
            return


class _Bounded:
    """A file that makes no room for more than it can hold, whatever length is asked for."""

    def __init__(self, file: BufferedReader, limit: int) -> None:
        self._file, self._limit = file, limit

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, self._limit))


def _take(path: Path, record: Any, found: _Found) -> None:
    if isinstance(record, Channel):
        found.topics[record.id] = (record.topic, record.message_encoding)
    elif isinstance(record, Metadata) and record.name == ORIGIN:
        found.frame = _frame(record.metadata)
    elif isinstance(record, Message) and found.topics.get(record.channel_id) == (SOUNDINGS, "json"):
        _take_sounding(path, record, found)


def _take_sounding(path: Path, message: Message, found: _Found) -> None:
    try:
        sounding = json.loads(message.data)
        if sounding["status"] == "rejected":
            found.num_rejected += 1
            return
        place = (float(sounding["longitude"]), float(sounding["latitude"]))
        found.accepted.append((message.log_time / 1e9, *place, float(sounding["depth"]), sounding["status"] == "used"))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise UnreadableLog(
            f"{path} has a message on {SOUNDINGS} that is no sounding ({type(error).__name__}: {error}); was it "
            "written by another program? Export its soundings as CSV with latitude, longitude, depth."
        ) from None


def _frame(metadata: dict[str, str]) -> LocalFrame | None:
    try:
        return LocalFrame(float(metadata["longitude"]), float(metadata["latitude"]))
    except (KeyError, ValueError):
        return None
