"""Serves a run's page until it is told to stop."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from akrig.journal.folder import RunFolder
from akrig.live.errors import PageError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PORT = 8330
NICE = 15  # the mission goes first


@dataclass(frozen=True)
class Address:
    """Where a page is, for a person: what to open, and the key that steering needs, if any."""

    url: str
    key: str | None


class Server:
    """The page of a run, ready to be served.

    Args:
        host: an address of this machine; only loopback needs no key for steering.
        port: 0 takes any that is free; `None` the usual one, or any if that is taken.
    """

    def __init__(self, path: Path, *, host: str = "127.0.0.1", port: int | None = None) -> None:
        try:
            import uvicorn
            import websockets  # noqa: F401 - uvicorn would only miss it at the first client

            from akrig.live.access import Access, new_key
            from akrig.live.app import Page
            from akrig.live.feed import Feed
            from akrig.live.viewed import Viewed
        except ImportError as error:
            raise PageError(
                f"The page needs {error.name}, which is not installed; try `pip install 'akrig[live]'`."
            ) from error
        viewed = Viewed(RunFolder.open(path))
        viewed.check()
        self._socket = _listening(host, port)
        key = None if host in LOOPBACK else new_key()
        self._make = lambda: Page(Feed(viewed), Access(key, host=host)).app()
        self.address = Address(_url(host, self._socket.getsockname()[1]), key)
        self._uvicorn = uvicorn

    def serve(self, *, ready: Callable[[], None] = lambda: None) -> None:
        """Until `stop`, or a signal.

        Args:
            ready: called once, when the page can be opened.
        """
        with suppress(OSError):
            os.nice(NICE)
        self._run(ready)

    def _run(self, ready: Callable[[], None]) -> None:
        uvicorn = self._uvicorn
        config = uvicorn.Config(
            self._make(),
            log_level="error",
            access_log=False,  # keys are not in addresses, but who looked when is nobody's business
            ws="websockets-sansio",
            ws_max_size=1000,
            ws_max_queue=4,
            ws_ping_interval=20.0,
            ws_ping_timeout=30.0,
            limit_concurrency=200,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        self._server = _Ready(config, ready)
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True


def _Ready(config, ready: Callable[[], None]):
    import uvicorn

    class Ready(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            ready()

    return Ready(config)


def _listening(host: str, port: int | None) -> socket.socket:
    """Open already, so that a taken port is told before anything else."""
    try:
        family, *_, address = socket.getaddrinfo(host, PORT if port is None else port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise PageError(f"{host} is not an address of this machine ({error.strerror}); try --host 0.0.0.0.") from error
    # With its protocol named asyncio sends small answers at once; otherwise each waits 40 ms.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            opened.bind(address)
        except OSError:
            if port is not None:
                raise
            opened.bind((address[0], 0, *address[2:]))
    except OSError as error:
        opened.close()
        raise PageError(
            f"Nothing can be served at {host}, port {port or PORT} ({error.strerror}); try another --port."
        ) from error
    opened.listen(128)
    opened.setblocking(False)
    return opened


def _url(host: str, port: int) -> str:
    shown = _own_address() if host in ("0.0.0.0", "::") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def _own_address() -> str:
    """The one that others in the same network know; no packet is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
