"""Around the whole page: whose requests are answered at all, how fast, and what browsers are told about safety."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from akrig.live.access import Access, Pace, is_same_origin

Scope = MutableMapping[str, Any]

SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guarded:
    """An ASGI application that refuses other origins and strange host names, and lets nobody hurry."""

    def __init__(self, app: Callable[..., Awaitable[None]], access: Access) -> None:
        self._app, self._access = app, access
        self._pace = Pace(40.0, burst=160.0, most_waiting=80)

    async def __call__(self, scope: Scope, receive: Callable, send: Callable) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer = await self._refusal(scope)
        if answer is None:
            await self._app(scope, receive, _safely(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _safely(send))

    async def _refusal(self, scope: Scope) -> JSONResponse | None:
        if not await self._pace.take_turn():
            return JSONResponse({"sentence": "Too many requests; try again later."}, status_code=429)
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._access.knows_host(host):
            return JSONResponse(
                {"sentence": "Open the page by the address that was shown on the terminal."}, status_code=421
            )
        origin = headers.get("origin")
        foreign = origin is not None and not is_same_origin(origin, host)
        if foreign or (scope.get("method") == "POST" and origin is None):
            return JSONResponse({"sentence": "Requests from another site are refused."}, status_code=403)
        return None


def _safely(send: Callable) -> Callable:
    async def with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SAFETY.items():
                headers[name] = value
        await send(message)

    return with_headers
