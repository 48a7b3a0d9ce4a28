"""The page's addresses: all that can be asked for is listed here; files are named by akrig, never by a client."""

import asyncio
import json
import math
from collections.abc import Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from akrig.live.access import Access, KeyRefused, is_same_origin
from akrig.live.asking import NoAnswer
from akrig.live.feed import Feed
from akrig.live.guarding import Guarded
from akrig.live.maps import DAMAGED, encoded
from akrig.live.orders import MOST_PENDING, WORDS
from akrig.live.streams import Mark

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
MOST_CLIENTS = 64
LARGEST_BODY = 2000  # bytes
SECONDS_TO_TAKE = 20.0  # a client that does not take its message in this time is let go
TAKEN = "ok"  # what a client says then, and all that it may say
HEARTBEAT = 10.0  # seconds after which a client hears that all is as it was


def page_files() -> dict[str, tuple[bytes, str]]:
    """The page itself, read once: name to content and kind."""
    found = {}
    for item in (files("akrig.live") / "page").iterdir():
        kind = KINDS.get(item.name.rpartition(".")[2])
        if kind is not None:
            found[item.name] = (item.read_bytes(), kind)
    return found


class Page:
    """One run's page."""

    def __init__(self, feed: Feed, access: Access) -> None:
        self._feed, self._access, self._files = feed, access, page_files()

    def app(self) -> Callable:
        routes = [
            Route("/", self.file),
            Route("/view", self.file),
            Route("/page/{name}", self.file),
            Route("/map/model", self.model_map),
            Route("/map/{readings:int}", self.map),
            Route("/truth/{rows:int}/{columns:int}", self.truth),
            Route("/at", self.at),
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

        return Guarded(Starlette(routes=routes, lifespan=lifespan), self._access)

    async def file(self, request: Request) -> Response:
        found = self._files.get(request.path_params.get("name", "index.html"))
        if found is None:
            return _sentence(404, "There is no such part of the page.")
        return Response(found[0], media_type=found[1])

    # -- maps ------------------------------------------------------------------------------------------------------

    async def map(self, request: Request) -> Response:
        try:
            return _floats(encoded(self._feed.viewed.snapshot(request.path_params["readings"])))
        except DAMAGED:
            return _sentence(404, "There is no such map.")

    async def model_map(self, request: Request) -> Response:
        model = self._feed.viewed.model
        return _sentence(404, "There is no such map yet.") if model is None else _floats(encoded(model[1]))

    async def truth(self, request: Request) -> Response:
        try:
            map = await self._feed.truth(request.path_params["rows"], request.path_params["columns"])
        except (NoAnswer, ValueError) as error:
            return _sentence(404, str(error))
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
        degrees = self._feed.viewed.about.to_degrees(x, y) if math.isfinite(x + y) else None
        return JSONResponse(_without_nan(said | {"degrees": degrees}))

    # -- steering --------------------------------------------------------------------------------------------------

    async def access(self, request: Request) -> Response:
        steers = self._access.may_steer(_session(request))
        return JSONResponse({"steers": steers, "needsKey": self._access.needs_key})

    async def unlock(self, request: Request) -> Response:
        """The key comes in the body, never in an address that a browser would remember."""
        content = await _body(request)
        if content is None or not isinstance(content.get("key"), str):
            return _sentence(400, "Send the operator's key.")
        try:
            session = await self._access.unlock(content["key"], guesser=request.client.host if request.client else "")
        except KeyRefused as error:
            return _sentence(403, str(error))
        answer = JSONResponse({"steers": True})
        answer.set_cookie(_cookie(request), session, httponly=True, samesite="strict", path="/")
        return answer

    async def order(self, request: Request) -> Response:
        if not self._access.may_steer(_session(request)):
            return _sentence(401, "Steering needs the operator's key, which was shown on the terminal.")
        viewed, content = self._feed.viewed, await _body(request)
        word = None if content is None else content.get("word")
        if content is None or word not in WORDS:
            return _sentence(400, f"An order is one of {', '.join(WORDS)}.")
        if not viewed.about.is_survey:
            return _sentence(409, "Nothing can be steered: this is not a survey with a boat.")
        if viewed.status["state"] != "running":
            return _sentence(409, "Nothing can be steered: the survey is not running.")
        if viewed.orders.num_pending >= MOST_PENDING:
            return _sentence(429, "Too many orders wait for the boat's answer already.")
        place = degrees = None
        if word == "goto":
            try:
                place = (float(content["x"]), float(content["y"]))
            except (KeyError, TypeError, ValueError):
                return _sentence(400, "Going there needs a place, x and y in metres.")
            degrees = viewed.about.to_degrees(*place) if math.isfinite(sum(place)) else None
            if degrees is None or not all(math.isfinite(v) for v in degrees):
                return _sentence(400, "This place is not on the map.")
        name = viewed.orders.give(word, place, degrees=degrees)
        await self._feed.ring()
        return JSONResponse({"id": name})

    # -- news ------------------------------------------------------------------------------------------------------

    async def feed(self, socket: WebSocket) -> None:
        """A client is told more when it says that it took what it was told: a slow one skips to the latest state."""
        if not is_same_origin(socket.headers.get("origin"), socket.headers.get("host", "")):
            await socket.close(1008)
            return
        if self._feed.num_clients >= MOST_CLIENTS:
            await socket.close(1013)
            return
        await socket.accept()
        self._feed.num_clients += 1
        try:
            await self._tell(socket)
        except (WebSocketDisconnect, TimeoutError, RuntimeError, KeyError):
            pass  # gone, or stalled: what it missed it gets when it comes back
        finally:
            self._feed.num_clients -= 1

    async def _tell(self, socket: WebSocket) -> None:
        marks: dict[str, Mark] = {}
        while True:
            version, text = self._feed.version, self._feed.message(marks)
            marks = self._feed.viewed.streams.marks
            async with asyncio.timeout(SECONDS_TO_TAKE):
                await socket.send_text(text)
                if await socket.receive_text() != TAKEN:
                    return
            if not await self._quiet(socket, version):
                return

    async def _quiet(self, socket: WebSocket, version: int) -> bool:
        """Until there is news, or it is time for a sign of life; `False` if the client left or speaks out of turn."""
        news = asyncio.create_task(self._feed.news_after(version, seconds=HEARTBEAT))
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
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_BODY:
            return None
    try:
        content = json.loads(data)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _session(request: Request) -> str | None:
    return request.cookies.get(_cookie(request))


def _cookie(request: Request) -> str:
    """Browsers share cookies between the ports of a machine, and there may be a page on each."""
    return f"akrig-{request.url.port or 80}"


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _without_nan(content: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in content.items()}


def _floats(data: bytes) -> Response:
    return Response(data, media_type="application/octet-stream")


def _sentence(status: int, sentence: str) -> Response:
    return JSONResponse({"sentence": sentence}, status_code=status)
