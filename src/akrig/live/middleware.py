"""Around the whole page: whose requests are answered at all, how fast, and what browsers are told about safety."""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from akrig.live.access import Access, Visitor, is_same_origin
from akrig.live.connections import Connections
from akrig.live.rate_limit import RateLimiter
from akrig.live.requests import SECURITY_HEADERS

Scope = MutableMapping[str, Any]
log = logging.getLogger(__name__)
NOBODY = Visitor("nobody")


class ClientGone(OSError):
    """There is nobody any more to send an answer to."""


class PageMiddleware:
    """An ASGI application that refuses other origins and strange host names, and lets nobody hurry.

    The operator's orders wait for nobody's turn, and requests with a session only for others of the same session.

    Args:
        cost_of_news: turns that a client takes who wants all news from the beginning.
        is_file: whether a path is a part of the page, which everybody gets, in a crowd later: without it there is
            nowhere to enter the key.
    """

    def __init__(
        self,
        app: Callable[..., Awaitable[None]],
        access: Access,
        *,
        connections: Connections,
        cost_of_news: Callable[[], float],
        is_file: Callable[[str], bool],
    ) -> None:
        self._app, self._access, self._connections = app, access, connections
        self._cost, self._is_file = cost_of_news, is_file
        self._keyless = RateLimiter(40.0, burst=160.0, most_waiting=40)
        self._keyed = RateLimiter(40.0, burst=160.0, most_waiting=80)
        self.is_crowded = self._keyless.is_crowded

    async def __call__(self, scope: Scope, receive: Callable, send: Callable) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = self._connections.of(scope)
        scope["connection"], scope["visitor"] = connection, NOBODY if connection is None else connection.visitor
        try:
            await self._answer(scope, receive, _safely(send))
        except ClientGone as error:
            log.debug("A client left before its answer.", exc_info=error)
        except Exception as error:  # whatever a client did, the terminal is the operator's; Starlette has answered
            log.error("The page could not answer a request for %.80r (%r).", scope["path"], error)
            log.debug("It happened here:", exc_info=error)
        finally:
            if connection is not None:
                self._connections.rest(connection)

    async def _answer(self, scope: Scope, receive: Callable, send: Callable) -> None:
        refused = await self._refusal(scope)
        if refused is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refused(scope, receive, send)

    async def _refusal(self, scope: Scope) -> JSONResponse | None:
        has_turn = await self._take_turn(scope)
        if not has_turn and not (scope.get("method") == "GET" and self._is_file(scope["path"])):
            return error_json(429, "Too many requests; try again later.")
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._access.knows_host(host):
            return error_json(421, "Open the page by the address that was shown on the terminal.")
        origin = headers.get("origin")
        foreign = origin is not None and not is_same_origin(origin, host)
        if foreign or (scope.get("method") == "POST" and origin is None):
            return error_json(403, "Requests from another site are refused.")
        return None

    async def _take_turn(self, scope: Scope) -> bool:
        visitor: Visitor = scope["visitor"]
        if scope.get("method") == "POST" and (scope["path"] == "/unlock" or visitor.may_steer):
            return True  # the right key is known at once, and wrong ones are slowed down anyway
        cost = 1.0 + (self._cost() if scope["type"] == "websocket" else 0.0)
        if visitor.session is not None:
            return await self._keyed.take(visitor.session, cost=cost)
        return await self._keyless.take(visitor.group, cost=cost)


def _safely(send: Callable) -> Callable:
    async def with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
        try:
            await send(message)
        except OSError as error:
            raise ClientGone from error

    return with_headers


def error_json(status: int, sentence: str) -> JSONResponse:
    """What went wrong, as the page shows it."""
    return JSONResponse({"sentence": sentence}, status_code=status)
