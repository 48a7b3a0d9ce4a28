"""A survey as an MCAP file: Foxglove plays it, `akrig replay` reads it.

Made from the run folder alone, so that it can be made at the end of a survey or again at any time.
"""

import heapq
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from mcap.writer import Writer

from akrig import __version__
from akrig.errors import ConfigError, RunFolderError
from akrig.files import json_objects, read_lines, read_toml, written_beside
from akrig.frame import LocalFrame
from akrig.journal.events import stream_events
from akrig.journal.folder import RunFolder
from akrig.survey.area import area_from
from akrig.survey.logs.mcap_file import ORIGIN
from akrig.survey.recording.messages import Message, area_message, journal_messages, telemetry_messages
from akrig.survey.recording.schemas import CHANNELS

CHUNK = 128 * 1024  # bytes: what a cut-off file can lose, before compression

NOT_DRAWN: dict[str, Any] = {"name": "", "keep_outs": [], "home": None}


def write_recording(run: Path, path: Path) -> int:
    """All that a survey's run folder tells, in the order it happened; returns how many messages were written."""
    folder = RunFolder.open(run)
    area = _area(folder)
    frame = area_from(**area).frame
    try:
        with written_beside(path, synced=True) as beside, beside.open("wb") as file:
            return _write(file, _messages(folder, area, frame), frame)
    except OSError as error:
        raise RunFolderError(
            f"{path} could not be written ({error.strerror}); make room on the disk or choose another place."
        ) from error


def _area(folder: RunFolder) -> dict[str, Any]:
    """As drawn, in degrees."""
    try:
        area = read_toml(folder.config)["survey"]["area"]
        return {"fence": area["fence"], **{name: area.get(name, other) for name, other in NOT_DRAWN.items()}}
    except (KeyError, TypeError, ConfigError):
        raise RunFolderError(
            f"{folder.path} is not the folder of a survey: its config.toml has no area; only surveys are recorded."
        ) from None


def _messages(folder: RunFolder, area: dict[str, Any], frame: LocalFrame) -> Iterator[Message]:
    """Two streams, each in order of time, become one; held are a block of each and the readings' ids."""
    used = {event.get("sounding") for event in stream_events(folder.journal) if event["event"] == "measurement"}
    journal = journal_messages(stream_events(folder.journal), frame, used=used)
    telemetry = telemetry_messages(json_objects(read_lines(folder.telemetry)), frame)
    merged = heapq.merge(journal, telemetry, key=lambda message: message.unix)
    for first in islice(merged, 1):
        yield area_message(first.unix, area)
        yield first
    yield from merged


def _write(file, messages: Iterator[Message], frame: LocalFrame) -> int:
    writer = Writer(file, chunk_size=CHUNK)
    writer.start(profile="", library=f"akrig {__version__}")
    # First, so that a file that is cut off still says where it was.
    writer.add_metadata(ORIGIN, {"longitude": repr(frame.longitude), "latitude": repr(frame.latitude)})
    channels = _register(writer)
    count = 0
    for message in messages:
        count += 1
        writer.add_message(
            channel_id=channels[message.topic],
            log_time=message.nanoseconds,
            publish_time=message.nanoseconds,
            data=json.dumps(message.content, separators=(",", ":"), allow_nan=False).encode(),
        )
    writer.finish()
    return count


def _register(writer: Writer) -> dict[str, int]:
    schemas: dict[str, int] = {}
    channels = {}
    for topic, schema in CHANNELS.items():
        name = schema["title"]
        if name not in schemas:
            schemas[name] = writer.register_schema(name, "jsonschema", json.dumps(schema).encode())
        channels[topic] = writer.register_channel(topic, "json", schemas[name])
    return channels
