"""The page's addresses: all that can be asked for is listed here; files are named by akrig, never by a client."""

import asyncio
import math
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from akrig.live.access import Access, KeyRefused, Visitor, is_same_origin
from akrig.live.background import Background
from akrig.live.connections import ALLOWANCE, Connection, Connections
from akrig.live.extra_routes import ExtraRoutes
from akrig.live.feed import Feed
from akrig.live.files import page_files
from akrig.live.maps import DAMAGED, encoded
from akrig.live.middleware import PageMiddleware, error_json
from akrig.live.model_client import Unavailable
from akrig.live.orders import MOST_PENDING, WORDS
from akrig.live.requests import RawRequest, read_json, response_bytes
from akrig.live.streams import Cursor

SECONDS_TO_TAKE = 20.0  # a client that does not take its message in this time is let go
CROWDED = 1013  # "try again later", as the standard has it
TAKEN = "ok"  # what a client sends then, and all that it may send
HEARTBEAT = 10.0  # seconds after which a client hears that all is as it was
BYTES_PER_TURN = 50_000  # of news: sending everything to somebody new is as much work as many requests


class Page:
    """One run's page."""

    def __init__(
        self, feed: Feed, access: Access, connections: Connections, *, background: Background | None = None
    ) -> None:
        self._feed, self._access, self._connections, self._files = feed, access, connections, page_files()
        self._extras = ExtraRoutes(feed, background)

    def app(self) -> PageMiddleware:
        routes = [
            Route("/", self.file),
            Route("/view", self.file),
            Route("/page/{name}", self.file),
            Route("/map/model", self.model_map),
            Route("/map/{readings:int}", self.map),
            Route("/truth/{rows:int}/{columns:int}", self.truth),
            Route("/at", self.at),
            *self._extras.routes,
            Route("/access", self.access),
            Route("/unlock", self.unlock, methods=["POST"]),
            Route("/order", self.order, methods=["POST"]),
            WebSocketRoute("/feed", self.feed),
        ]

        @asynccontextmanager
        async def lifespan(app):
            looking = asyncio.create_task(self._feed.run())
            try:
                yield
            finally:
                looking.cancel()

        return PageMiddleware(
            Starlette(routes=routes, lifespan=lifespan),
            self._access,
            connections=self._connections,
            cost_of_news=lambda: self._feed.size / BYTES_PER_TURN,
            is_file=self._files.__contains__,
        )

    async def file(self, request: Request) -> Response:
        found = self._files.get(request.url.path)
        if found is None:
            return error_json(404, "There is no such part of the page.")
        answer = Response(found.content, media_type=found.kind)
        cookie = self._own_cookie(request.url.path, _visitor(request), host=request.headers.get("host", ""))
        if cookie is not None:
            answer.headers["Set-Cookie"] = cookie
        return answer

    def whole_file(self, request: RawRequest, visitor: Visitor) -> bytes | None:
        """A part of the page for somebody who finds no place, ready to be sent; `None` if it is not that."""
        found = self._files.get(request.path)
        if found is None or not self._access.knows_host(request.host):
            return None
        cookie = self._own_cookie(request.path, visitor, host=request.host)
        return response_bytes(
            200, found.content, kind=found.kind, headers={} if cookie is None else {"Set-Cookie": cookie}
        )

    def _own_cookie(self, path: str, visitor: Visitor, *, host: str) -> str | None:
        """Who opens the page as its own user has a session with it: from then on no crowd is in his way."""
        if path != "/" or not visitor.is_own_user or visitor.session is not None:
            return None
        return self._access.cookie(self._access.own_session, host=host)

    # -- maps ------------------------------------------------------------------------------------------------------

    async def map(self, request: Request) -> Response:
        try:
            return _floats(encoded(self._feed.view.snapshot(request.path_params["readings"])))
        except DAMAGED:
            return error_json(404, "There is no such map.")

    async def model_map(self, request: Request) -> Response:
        model = self._feed.view.model
        return error_json(404, "There is no such map yet.") if model is None else _floats(encoded(model[1]))

    async def truth(self, request: Request) -> Response:
        try:
            map = await self._feed.truth(request.path_params["rows"], request.path_params["columns"])
        except (Unavailable, ValueError) as error:
            return error_json(404, str(error))
        return _floats(encoded(map))

    async def at(self, request: Request) -> Response:
        """The prediction at x, y; `readings` names a map that is not the newest."""
        try:
            x, y = (float(request.query_params[name]) for name in "xy")
            readings = request.query_params.get("readings")
            said = await self._feed.at(x, y, None if readings is None else int(readings))
        except (KeyError, ValueError, OSError, *DAMAGED):
            said = {"source": "none"}
            x, y = (_number(request.query_params.get(name)) for name in "xy")
        degrees = self._feed.view.info.to_degrees(x, y)
        known = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in said.items()}
        return JSONResponse(known | {"degrees": degrees})

    # -- steering --------------------------------------------------------------------------------------------------

    async def access(self, request: Request) -> Response:
        steers = _visitor(request).may_steer
        return JSONResponse({"steers": steers, "needsKey": not _visitor(request).is_own_user})

    async def unlock(self, request: Request) -> Response:
        """The key comes in the body, never in an address that a browser would remember."""
        content = await _body(request)
        if content is None or not isinstance(content.get("key"), str):
            return error_json(400, "Send the operator's key.")
        try:
            session = await self._access.unlock(content["key"], guesser=_visitor(request).group)
        except KeyRefused as error:
            return error_json(403, str(error))
        cookie = self._access.cookie(session, host=request.headers.get("host", ""))
        return JSONResponse({"steers": True}, headers={"Set-Cookie": cookie})

    async def order(self, request: Request) -> Response:
        if not _visitor(request).may_steer:
            return error_json(401, "Steering needs the operator's key, which was shown on the terminal.")
        view, content = self._feed.view, await _body(request)
        word = None if content is None else content.get("word")
        if content is None or word not in WORDS:
            return error_json(400, f"An order is one of {', '.join(WORDS)}.")
        if not view.info.is_survey:
            return error_json(409, "Nothing can be steered: this is not a survey with a boat.")
        if view.status["state"] != "running":
            return error_json(409, "Nothing can be steered: the survey is not running.")
        nonce = content.get("nonce")
        if (known := view.orders.known(nonce)) is not None:
            return JSONResponse({"id": known})  # the page did not hear our answer, and asked again
        if view.orders.num_pending >= MOST_PENDING:
            view.orders.poll()  # some may be answered since the last look
        if view.orders.num_pending >= MOST_PENDING:
            return error_json(429, "Too many orders wait for the boat's answer already.")
        place = degrees = None
        if word == "goto":
            try:
                place = (float(content["x"]), float(content["y"]))
            except (KeyError, TypeError, ValueError, OverflowError):
                return error_json(400, "Going there needs a place, x and y in metres.")
            degrees = view.info.to_degrees(*place)
            if degrees is None:
                return error_json(400, "This place is not on the map.")
        name = view.orders.give(word, place, degrees=degrees, nonce=nonce)
        await self._feed.notify()
        return JSONResponse({"id": name})

    # -- news ------------------------------------------------------------------------------------------------------

    async def feed(self, socket: WebSocket) -> None:
        """A client is told more when it says that it took what it was told: a slow one skips to the latest state."""
        if not is_same_origin(socket.headers.get("origin"), socket.headers.get("host", "")):
            await socket.close(1008)
            return
        connection: Connection | None = socket.scope["connection"]
        if connection is None or not self._connections.watch(connection):
            await socket.accept()  # a browser hears the reason only of a socket that was open
            await socket.close(CROWDED)
            return
        self._feed.num_clients += 1
        try:
            await socket.accept()
            await self._tell(socket, connection)
        except (WebSocketDisconnect, TimeoutError, RuntimeError, KeyError):
            pass  # gone, or stalled: what it missed it gets when it comes back
        finally:
            self._feed.num_clients -= 1

    async def _tell(self, socket: WebSocket, connection: Connection) -> None:
        cursors: dict[str, Cursor] = {}
        while True:
            version, text = self._feed.version, self._feed.message(cursors)
            cursors = self._feed.view.streams.cursors
            async with asyncio.timeout(SECONDS_TO_TAKE):
                await socket.send_text(text)
                if await socket.receive_text() != TAKEN:
                    return
            connection.allowance = ALLOWANCE
            if not await self._quiet(socket, version):
                return

    async def _quiet(self, socket: WebSocket, version: int) -> bool:
        """Until there is news, or it is time for a sign of life; `False` if the client left or speaks out of turn."""
        news = asyncio.create_task(self._feed.wait_for_news(version, seconds=HEARTBEAT))
        word = asyncio.create_task(socket.receive())
        try:
            await asyncio.wait([news, word], return_when=asyncio.FIRST_COMPLETED)
            return not word.done()
        finally:
            for task in (news, word):
                task.cancel()
            await asyncio.gather(news, word, return_exceptions=True)


async def _body(request: Request) -> dict[str, Any] | None:
    """JSON, small, and said to be JSON: a form on another site cannot send that."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return None
    try:
        return read_json(await request.body())
    except ClientDisconnect:
        return None


def _visitor(request: Request) -> Visitor:
    return request.scope["visitor"]


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _floats(data: bytes) -> Response:
    return Response(data, media_type="application/octet-stream")
