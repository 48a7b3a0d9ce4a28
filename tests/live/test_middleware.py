"""Who left is no news for the operator; a mistake of ours is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.utils import ClientDisconnected

from akrig.live.access import Access, new_key
from akrig.live.connections import Connections
from akrig.live.middleware import PageMiddleware
from tests.live.apart import run_apart


async def answer(request: Request) -> Response:
    return Response("here")


async def fail(request: Request) -> Response:
    raise OSError("The disk is full.")


async def listen(socket: WebSocket) -> None:
    await socket.accept()


ROUTES = [Route("/here", answer), Route("/broken", fail), WebSocketRoute("/feed", listen)]


@pytest.fixture
def guarded() -> PageMiddleware:
    access = Access(new_key(), host="127.0.0.1")
    return PageMiddleware(
        Starlette(routes=ROUTES),
        access,
        connections=Connections(),
        cost_of_news=lambda: 0.0,
        is_file=lambda path: path == "/here",
    )


def ask(guarded: PageMiddleware, path: str, kind: str, *, send: Callable[[dict], Awaitable[None]], host: str) -> None:
    run_apart(asked(guarded, path, kind, send=send, host=host))


async def asked(
    guarded: PageMiddleware,
    path: str,
    kind: str = "http",
    *,
    send: Callable[[dict], Awaitable[None]],
    host: str = "127.0.0.1",
) -> None:
    scope = {"type": kind, "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""}
    scope |= {"method": "GET"} if kind == "http" else {"subprotocols": []}

    async def receive() -> dict:
        return {"type": f"{kind}.connect" if kind == "websocket" else "http.request"}

    await guarded({**scope, "headers": [(b"host", host.encode())]}, receive, send)


async def nobody_is_there(message: dict) -> None:
    raise ClientDisconnected


async def taken(message: dict) -> None:
    pass


@pytest.mark.parametrize("host", ["127.0.0.1", "evil.example"])
@pytest.mark.parametrize(("path", "kind"), [("/here", "http"), ("/feed", "websocket"), ("/none", "http")])
def test_a_client_that_left_is_not_mentioned(guarded, path, kind, host, caplog):
    with caplog.at_level(logging.INFO):
        ask(guarded, path, kind, send=nobody_is_there, host=host)
    assert caplog.messages == []


def test_a_mistake_of_ours_is_told_in_one_line(guarded, caplog):
    with caplog.at_level(logging.INFO):
        ask(guarded, "/broken", "http", send=taken, host="127.0.0.1")
    (message,) = caplog.messages
    assert "/broken" in message
    assert "The disk is full." in message
    assert "\n" not in message


def test_in_a_crowd_everybody_gets_the_page_and_some_get_nothing_else(guarded):
    """However many ask in the same moment: without the page there is nowhere to enter the key."""
    statuses: dict[str, list[int]] = {"/here": [], "/none": []}

    async def ask_all() -> None:
        await asyncio.gather(*(asked(guarded, path, send=noting(path)) for _ in range(300) for path in statuses))

    def noting(path: str) -> Callable[[dict], Awaitable[None]]:
        async def note(message: dict) -> None:
            if message["type"] == "http.response.start":
                statuses[path].append(message["status"])

        return note

    run_apart(ask_all())
    assert statuses["/here"] == [200] * 300
    assert len(statuses["/none"]) == 300
    assert set(statuses["/none"]) == {404, 429}
