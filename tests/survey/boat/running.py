"""A boat that serves sockets, in a thread of the test."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from akrig.survey.boat import Boat, BoatSettings, serve
from tests.survey.boat.rig import BED, FRAME


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(*, to: list[tuple[str, int]], settings: dict | None = None, **options) -> Iterator[Boat]:
    """The boat, while it runs; it has ended when this ends."""
    boat = Boat(BoatSettings(**(settings or {})), frame=FRAME, bed=BED)
    stop = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            serve(boat, to=to, stop=stop, **options)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield boat
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()
        assert not failed, failed
