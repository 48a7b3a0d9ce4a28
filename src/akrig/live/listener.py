"""Accepts every connection, reads its first request, and decides who is served.

A connection costs next to nothing here, so that a crowd of them cannot keep the operator out: what has a place is a
whole request, and a request with the key has one always.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from akrig.live.access import Access, Visitor
from akrig.live.connections import Connection, Connections, Endpoints
from akrig.live.peers import client_group, peer_user
from akrig.live.pending import PendingConnection, PendingConnections
from akrig.live.requests import BadRequest, RawRequest, error_bytes, read_json

SECONDS_TO_ASK = 8.0  # for a whole request, from the moment of connecting
SECONDS_TO_REFUSE = 1.0  # before the connection is told that it is refused
SECONDS_TO_LEAVE = 5.0  # after an answer that is the last
SECONDS_BETWEEN_SWEEPS = 0.25
ACCEPTS_AT_ONCE = 64  # then those who are served have their turn
FILES_AT_ONCE = 50  # parts of the page between two sweeps that a crowd gets at once
READ_AT_ONCE, MOST_DROPPED = 32_768, 150_000  # bytes
CROWDED = error_bytes(429, "Too many requests come from where you are; enter the key, or try again later.")


@dataclass(frozen=True)
class Admission:
    """What decides who is served.

    Args:
        knows_users: whether the user of a connection within this computer is to be found out.
        file: a part of the page as a whole answer, if that is asked for.
        is_crowded: whether requests of a group have to wait for their turn.
    """

    access: Access
    connections: Connections
    knows_users: bool
    file: Callable[[RawRequest, Visitor], bytes | None]
    is_crowded: Callable[[str], bool]


Serve = Callable[[socket.socket, Connection, RawRequest], None]


class ConnectionListener:
    """Listens at a socket that is open already, from `start` to `close`."""

    def __init__(self, opened: socket.socket, admission: Admission) -> None:
        self._socket, self._admission = opened, admission
        self._pending, self._files_sent = PendingConnections(), 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self, serve: Serve) -> None:
        """Args:
        serve: takes a connection over, with its first request.
        """
        self._serve, self._loop = serve, asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._accept)
        self._sweep()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._socket)
        self._socket.close()
        for pending in self._pending.clear():
            self._close(pending)

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""

    # -- coming in -------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, address = self._socket.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            except OSError:  # no file is left to open: the next one may find one
                self._make_room()
                return
            connection.setblocking(False)
            pending = PendingConnection(connection, client_group(address[0]), time.monotonic() + SECONDS_TO_ASK)
            evicted = self._pending.add(pending)
            if evicted is not None:
                self._close(evicted)
            self._read(pending)

    def _make_room(self) -> None:
        oldest = self._pending.oldest()
        if oldest is not None:
            self._close(oldest)
            return
        self._loop.remove_reader(self._socket)
        self._loop.call_later(SECONDS_BETWEEN_SWEEPS, self._loop.add_reader, self._socket, self._accept)

    def _read(self, pending: PendingConnection) -> None:
        try:
            data = pending.socket.recv(READ_AT_ONCE)
        except BlockingIOError:
            self._watch(pending, self._read)
            return
        except OSError:
            data = b""
        if not data:
            self._close(pending)
            return
        try:
            request = pending.buffer.add(data)
        except BadRequest as bad:
            self._answer_and_close(pending, bad.answer)
            return
        if request is None:
            self._watch(pending, self._read)
        else:
            self._admit(pending, request)

    # -- who is served ---------------------------------------------------------------------------------------------

    def _admit(self, pending: PendingConnection, request: RawRequest) -> None:
        try:
            ends = endpoints_of(pending.socket)
        except OSError:
            self._close(pending)
            return
        admission, visitor = self._admission, self._visitor(pending, request)
        file = None if visitor.is_keyed or request.method != "GET" else admission.file(request, visitor)
        if file is not None and admission.is_crowded(visitor.group):
            self._answer_with_file(pending, file)
            return
        connection = admission.connections.admit(ends, visitor, is_urgent=self._is_urgent(request, visitor))
        if connection is not None:
            self._pending.remove(pending)
            self._unwatch(pending)
            self._serve(pending.socket, connection, request)
        elif file is not None:
            self._answer_with_file(pending, file)
        else:
            self._answer_later(pending, CROWDED)

    def _visitor(self, pending: PendingConnection, request: RawRequest) -> Visitor:
        user = peer_user(pending.socket) if self._admission.knows_users else None
        group = pending.address if user is None else f"user {user}"
        is_own_user = user is not None and user == os.getuid()
        return self._admission.access.visitor(group, is_own_user=is_own_user, cookies=request.cookies)

    def _is_urgent(self, request: RawRequest, visitor: Visitor) -> bool:
        """Without a session, but from one who has shown that he may steer."""
        if request.method != "POST":
            return False
        if request.path == "/order":
            return visitor.may_steer
        key = (read_json(request.body) or {}).get("key") if request.path == "/unlock" else None
        return isinstance(key, str) and self._admission.access.is_key(key)

    # -- who is not ------------------------------------------------------------------------------------------------

    def _answer_with_file(self, pending: PendingConnection, file: bytes) -> None:
        """So that the page can always be opened, and the key be entered; at once as long as not too many want that."""
        self._files_sent += 1
        if self._files_sent <= FILES_AT_ONCE:
            self._answer_and_close(pending, file)
        else:
            self._answer_later(pending, file)

    def _answer_later(self, pending: PendingConnection, answer: bytes) -> None:
        """Who asks again at once after an answer does so less often."""
        self._unwatch(pending)
        pending.answer, pending.until = answer, time.monotonic() + SECONDS_TO_REFUSE

    def _answer_and_close(self, pending: PendingConnection, answer: bytes) -> None:
        """What still comes in is read and dropped for a while: a connection closed before that loses the answer."""
        self._unwatch(pending)
        pending.answer, pending.until = None, time.monotonic() + SECONDS_TO_LEAVE
        try:
            pending.socket.send(answer)
            pending.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(pending)
            return
        self._watch(pending, self._drain)

    def _drain(self, pending: PendingConnection) -> None:
        try:
            count = len(pending.socket.recv(READ_AT_ONCE))
        except BlockingIOError:
            return
        except OSError:
            count = 0
        pending.dropped += count
        if not count or pending.dropped > MOST_DROPPED:
            self._close(pending)

    def _watch(self, pending: PendingConnection, readable: Callable[[PendingConnection], None]) -> None:
        if not pending.is_watched:
            pending.is_watched = True
            self._loop.add_reader(pending.socket, readable, pending)

    def _unwatch(self, pending: PendingConnection) -> None:
        if pending.is_watched:
            pending.is_watched = False
            self._loop.remove_reader(pending.socket)

    def _close(self, pending: PendingConnection) -> None:
        self._unwatch(pending)
        self._pending.remove(pending)
        pending.socket.close()

    def _sweep(self) -> None:
        self._files_sent = 0
        for pending in self._pending.overdue(time.monotonic()):
            if pending.answer is not None:
                self._answer_and_close(pending, pending.answer)
            else:
                self._close(pending)
        self._admission.connections.sweep()
        self._timer = self._loop.call_later(SECONDS_BETWEEN_SWEEPS, self._sweep)


def endpoints_of(connection: socket.socket) -> Endpoints:
    """Theirs, ours; `OSError` if the other end is gone."""
    there, here = connection.getpeername(), connection.getsockname()
    return (str(there[0]), int(there[1])), (str(here[0]), int(here[1]))
