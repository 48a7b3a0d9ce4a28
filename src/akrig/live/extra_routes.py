"""Addresses beside the run itself: files to take home, and the chart under the maps."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from akrig.errors import AkrigError
from akrig.live.access import Visitor
from akrig.live.background import Background
from akrig.live.downloads import Downloads
from akrig.live.feed import Feed
from akrig.live.middleware import error_json

MOST_AT_ONCE = 4  # files on their way; each holds a place until it has arrived
LONGEST = 600.0  # seconds for one to arrive


class ExtraRoutes:
    """Whoever may watch may take what is watched: nothing here needs a key, and nothing of it is dear."""

    def __init__(self, feed: Feed, background: Background | None = None) -> None:
        self._downloads, self._background = Downloads(feed), background
        self._on_their_way = 0

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/extras", self.offered),
            Route("/download/{name}", self.download),
            Route("/background.png", self.background),
        ]

    async def offered(self, request: Request) -> Response:
        files = [{"name": file.name, "title": file.title} for file in self._downloads.offered.values()]
        chart = None if self._background is None else self._background.for_page
        return JSONResponse({"downloads": files, "background": chart})

    async def background(self, request: Request) -> Response:
        if self._background is None:
            return error_json(404, "There is no chart under these maps.")
        return Response(self._background.png, media_type="image/png")

    async def download(self, request: Request) -> Response:
        file = self._downloads.offered.get(request.path_params["name"])
        if file is None:
            return error_json(404, "There is no such file.")
        visitor: Visitor = request.scope["visitor"]
        if self._on_their_way >= MOST_AT_ONCE and not visitor.is_keyed:
            return error_json(429, "Too many files are on their way already; try again in a minute.")
        self._on_their_way += 1
        try:
            size, parts = await self._downloads.opened(file, is_operator=visitor.may_steer)
        except (AkrigError, OSError) as error:
            self._arrived()
            return error_json(503, str(error))
        except BaseException:
            self._arrived()
            raise
        headers = {
            "Content-Disposition": f'attachment; filename="{self._downloads.file_name(file)}"',
            "Content-Length": str(size),
        }
        return DownloadResponse(parts, media_type=file.kind, headers=headers, arrived=self._arrived)

    def _arrived(self) -> None:
        self._on_their_way -= 1


class DownloadResponse(StreamingResponse):
    """A file; a client that does not take it in time is let go."""

    def __init__(self, *args, arrived, **options) -> None:
        super().__init__(*args, **options)
        self._arrived = arrived

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(LONGEST):
                await super().__call__(scope, receive, send)
        except TimeoutError:
            pass
        finally:
            self._arrived()
