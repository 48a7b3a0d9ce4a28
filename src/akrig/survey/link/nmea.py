"""An echo sounder beside the autopilot: NMEA 0183 sentences DBT and DPT, over UDP, TCP or a serial line."""

import queue
import re
import threading
import time

from akrig.survey.link.transport import Transport, open_again, open_first
from akrig.survey.sentences import fields_of, number_in_field

LONGEST = 4096  # bytes without a line end: noise, not sentences
FOOT = 0.3048
ENDS = re.compile(rb"[\r\n]+|(?=\$)")  # some bridges leave the line ends out: a dollar begins a new sentence, too


def depth_of(sentence: str) -> float | None:
    """Metres below the transducer, `nan` if it found no bottom; `None` for another or a damaged sentence.

    DPT's own offset is not used: how deep the transducer sits is a setting (`depth.transducer`).
    """
    kind, *fields = fields_of(sentence) or [""]
    if kind[-3:] == "DBT" and len(fields) > 2:
        metres = number_in_field(fields[2])
        if metres is None or metres == metres:
            return metres
        feet = number_in_field(fields[0])
        return None if feet is None else feet * FOOT
    return number_in_field(fields[0]) if kind[-3:] == "DPT" and fields else None


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
