"""uvicorn's two protocols, given whole requests only, and held to what a client of the page has to say."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from akrig.live.access import Access
from akrig.live.connections import Connection, Connections
from akrig.live.requests import BadRequest, RawRequest, RequestBuffer


class RequestProtocol(H11Protocol):
    """Requests and answers, one after the other."""

    page_access: Access
    page_connections: Connections

    def take_over(self, connection: Connection, request: RawRequest) -> None:
        """Before the connection is made: who made it, and what was asked on it first."""
        self._connection, self._first, self._buffer = connection, request, RequestBuffer()

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._connection.transport = transport
        if self._connection.is_dropped:
            transport.abort()
        else:
            super().data_received(self._first.data)

    def data_received(self, data: bytes) -> None:
        if self._connection.state != "idle":  # it asks again before it has its answer
            self.transport.abort()
            return
        try:
            request = self._buffer.add(data)
        except BadRequest as bad:
            self.transport.write(bad.answer)
            self.transport.close()
            return
        if request is not None:
            before = self._connection.visitor
            visitor = self.page_access.visitor(before.group, is_own_user=before.is_own_user, cookies=request.cookies)
            self.page_connections.begin(self._connection, visitor)
            super().data_received(request.data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.page_connections.forget(self._connection)
        super().connection_lost(exc)


class FeedProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that hardly anything is said on from the other end."""

    page_connections: Connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connection: Connection | None = None
        self._has_asked = False
        if self.client is not None and self.server is not None:
            self._connection = self.page_connections.of({"client": self.client, "server": self.server})

    def data_received(self, data: bytes) -> None:
        """First its request, whole, by `RequestProtocol`; then only what it may say."""
        if self._connection is None or (self._has_asked and not self._connection.spend(len(data))):
            self.transport.abort()
            return
        self._has_asked = True
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self.page_connections.forget(self._connection)
        super().connection_lost(exc)


def page_protocols(access: Access, connections: Connections) -> tuple[type[RequestProtocol], type[FeedProtocol]]:
    """For one page."""
    own = {"page_access": access, "page_connections": connections}
    return type("Requests", (RequestProtocol,), own), type("News", (FeedProtocol,), own)
