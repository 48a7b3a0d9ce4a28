"""Serves a run's page until it is told to stop."""

import asyncio
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from akrig.errors import PageError
from akrig.journal.folder import RunFolder
from akrig.live.access import Access, new_key
from akrig.live.connections import Connection, Connections
from akrig.live.listener import Admission, ConnectionListener
from akrig.live.peers import can_tell_users, is_loopback
from akrig.live.process import lower_priority, raise_file_limit
from akrig.live.requests import RawRequest

if TYPE_CHECKING:
    import uvicorn

    from akrig.live.protocols import RequestProtocol

log = logging.getLogger(__name__)
PORT = 8330
NOTED: set[str] = set()  # mistakes that were told already
NICE = 15  # the mission goes first


@dataclass(frozen=True)
class Address:
    """Where a page is, for a person.

    Args:
        key: that steering needs.
        asks_own_user: whether the user who shows the page needs it, too.
        is_local: only this computer reaches it.
    """

    url: str
    key: str
    asks_own_user: bool
    is_local: bool

    @property
    def url_with_key(self) -> str:
        """What comes after the sign # stays in the browser: the page reads it, uses it and takes it away."""
        return f"{self.url}#{self.key}"


class Server:
    """The page of a run, ready to be served.

    Args:
        host: an address of this machine.
        port: 0 takes any that is free; `None` the usual one, or any if that is taken.
        ask_key: of the user who shows the page, too; everybody else needs the key anyway.
        background: a GeoTIFF to lie under the maps.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        ask_key: bool = False,
        background: Path | None = None,
    ) -> None:
        try:
            import uvicorn  # noqa: F401
            import websockets  # noqa: F401 - uvicorn would only miss it at the first client

            from akrig.live.background import read_background
            from akrig.live.run_view import RunView
        except ImportError as error:
            raise PageError(
                f"The page needs {error.name}, which is not installed; try `pip install 'akrig[live]'`."
            ) from error
        self._view = RunView(RunFolder.open(path))
        self._view.check()
        info = self._view.info
        self._background = None if background is None else read_background(background, info.workspace, info.origin)
        self._socket = _listening(host, port)
        key = new_key()
        self._access, self._connections = Access(key, host=host), Connections()
        is_local = is_loopback(self._socket.getsockname()[0])
        self._knows_users = is_local and not ask_key and can_tell_users()
        url = _url(host, self._socket.getsockname()[1])
        self.address = Address(url, key, asks_own_user=not self._knows_users, is_local=is_local)

    def serve(self, *, ready: Callable[[], None] = lambda: None) -> None:
        """Until `stop`, or a signal.

        Args:
            ready: called once, when the page can be opened.
        """
        import uvicorn

        from akrig.live.app import Page
        from akrig.live.feed import Feed
        from akrig.live.protocols import page_protocols

        lower_priority(NICE)
        raise_file_limit()
        page = Page(Feed(self._view), self._access, self._connections, background=self._background)
        app = page.app()
        http, ws = page_protocols(self._access, self._connections)
        config = uvicorn.Config(
            app,
            http=http,
            ws=ws,
            log_level="critical",  # what clients do wrong is no news for the operator; the rest is in `middleware`
            access_log=False,  # keys are not in addresses, but who looked when is nobody's business
            proxy_headers=False,  # anybody can write into a header that he is somebody else
            ws_max_size=1000,
            ws_max_queue=4,
            ws_ping_interval=20.0,
            ws_ping_timeout=30.0,
            timeout_keep_alive=600,  # `Connections` sees to that
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        admission = Admission(self._access, self._connections, self._knows_users, page.whole_file, app.is_crowded)
        self._server = _with_listener(config, http, listener=ConnectionListener(self._socket, admission), ready=ready)
        self._server.run(sockets=[])

    def stop(self) -> None:
        self._server.should_exit = True


def _with_listener(
    config: "uvicorn.Config",
    requests: "type[RequestProtocol]",
    *,
    listener: ConnectionListener,
    ready: Callable[[], None],
) -> "uvicorn.Server":
    """uvicorn, but with a listener of our own, since its own serves whoever connects."""
    import uvicorn

    class WithListener(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(_note)
            taking_over: set[asyncio.Task] = set()

            def serve(accepted: socket.socket, connection: Connection, request: RawRequest) -> None:
                protocol = requests(config, self.server_state, self.lifespan.state, loop)
                protocol.take_over(connection, request)
                task = loop.create_task(loop.connect_accepted_socket(lambda: protocol, accepted))
                taking_over.add(task)
                task.add_done_callback(taking_over.discard)

            listener.start(serve)
            self.servers.append(listener)  # pyright: ignore[reportArgumentType] - to be closed, is all it is asked
            ready()

    return WithListener(config)


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A connection that broke off is its client's business; anything else is a mistake of ours, told once."""
    error = context.get("exception")
    log.debug("%s", context["message"], exc_info=error)
    if error is not None and not isinstance(error, OSError) and repr(error) not in NOTED:
        NOTED.add(repr(error))
        log.error("Something is wrong with the page (%r); please report it.", error)


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
    opened.listen(4096)  # a crowd must not fill the queue that the operator stands in
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
