"""An echo sounder beside the autopilot: NMEA 0183 sentences DBT and DPT, over UDP, TCP or a serial line."""

import queue
import re
import threading
import time

from akrig.survey.link.transport import Transport, open_again, open_first

LONGEST = 4096  # bytes without a line end: noise, not sentences
FOOT = 0.3048
ENDS = re.compile(rb"[\r\n]+|(?=\$)")  # some bridges leave the line ends out: a dollar begins a new sentence, too


def depth_of(sentence: str) -> float | None:
    """Metres below the transducer, `nan` if it found no bottom; `None` for another or a damaged sentence.

    DPT's own offset is not used: how deep the transducer sits is a setting (`depth.transducer`).
    """
    body, star, checksum = sentence.strip().removeprefix("$").partition("*")
    if not sentence.strip().startswith("$") or (star and not _is_right(body, checksum)):
        return None
    kind, *fields = body.split(",")
    if kind[-3:] == "DBT" and len(fields) > 2:
        metres = _number(fields[2])
        return metres if metres is None or metres == metres else _number(fields[0], unit=FOOT)
    return _number(fields[0]) if kind[-3:] == "DPT" and fields else None


def _number(field: str, *, unit: float = 1.0) -> float | None:
    try:
        return float(field) * unit if field else float("nan")
    except ValueError:
        return None


def _is_right(body: str, checksum: str) -> bool:
    value = 0
    for character in body:
        value ^= ord(character)
    try:
        return int(checksum[:2], 16) == value
    except ValueError:
        return False


class NmeaDepths:
    """Reads an address in a thread and keeps what it said until somebody asks."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.heard: queue.SimpleQueue[tuple[float, float]] = queue.SimpleQueue()  # monotonic seconds, metres
        self._transport: Transport | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="akrig sonar", daemon=True)

    def start(self) -> None:
        self._transport = open_first(self.address, whose="The echo sounder's ")
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        if self._transport is not None:
            self._transport.close()

    def _run(self) -> None:
        rest = b""
        while not self._ending.is_set():
            try:
                assert self._transport is not None
                rest += self._transport.read(0.2)
            except OSError:
                assert self._transport is not None
                self._transport = open_again(self._transport, self.address, ending=self._ending)
            *lines, rest = ENDS.split(rest)
            rest = rest[-LONGEST:]
            for line in lines:
                depth = depth_of(line.decode("ascii", "replace"))
                if depth is not None:
                    self.heard.put((time.monotonic(), depth))
