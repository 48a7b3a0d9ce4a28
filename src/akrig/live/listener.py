"""The page's front door: takes every connection in, hears what it wants, and decides who is served.

A connection costs next to nothing here, so that a crowd at the door cannot keep the operator out: what has a place is a
whole request, and a request with the key has one always.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from akrig.live.access import Access, Visitor
from akrig.live.connections import Connection, Connections, Ends
from akrig.live.peers import group_of, user_of
from akrig.live.requests import BadRequest, Request, read_json, refusal
from akrig.live.waiting_room import Waiting, WaitingRoom

SECONDS_TO_ASK = 8.0  # for a whole request, from the moment of connecting
SECONDS_TO_REFUSE = 1.0  # before a refusal is sent
SECONDS_TO_LEAVE = 5.0  # after an answer that is the last
SECONDS_BETWEEN_SWEEPS = 0.25
ACCEPTS_AT_ONCE = 64  # then those who are served have their turn
FILES_AT_ONCE = 50  # parts of the page between two sweeps that a crowd gets at once
READ_AT_ONCE, MOST_DROPPED = 32_768, 150_000  # bytes
CROWDED = refusal(429, "Too many requests come from where you are; enter the key, or try again later.")


@dataclass(frozen=True)
class Admission:
    """What is behind the door.

    Args:
        knows_users: whether the user of a connection within this computer is to be found out.
        file: a part of the page as a whole answer, if that is asked for.
        is_crowded: whether requests of a group have to wait for their turn.
    """

    access: Access
    connections: Connections
    knows_users: bool
    file: Callable[[Request, Visitor], bytes | None]
    is_crowded: Callable[[str], bool]


Serve = Callable[[socket.socket, Connection, Request], None]


class ConnectionListener:
    """Listens at a socket that is open already, from `start` to `close`."""

    def __init__(self, opened: socket.socket, house: Admission) -> None:
        self._socket, self._house = opened, house
        self._room, self._files_given = WaitingRoom(), 0
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
        for waiting in self._room.clear():
            self._close(waiting)

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
            waiting = Waiting(connection, group_of(address[0]), time.monotonic() + SECONDS_TO_ASK)
            leaving = self._room.add(waiting)
            if leaving is not None:
                self._close(leaving)
            self._read(waiting)

    def _make_room(self) -> None:
        oldest = self._room.oldest()
        if oldest is not None:
            self._close(oldest)
            return
        self._loop.remove_reader(self._socket)
        self._loop.call_later(SECONDS_BETWEEN_SWEEPS, self._loop.add_reader, self._socket, self._accept)

    def _read(self, waiting: Waiting) -> None:
        try:
            data = waiting.socket.recv(READ_AT_ONCE)
        except BlockingIOError:
            self._watch(waiting, self._read)
            return
        except OSError:
            data = b""
        if not data:
            self._close(waiting)
            return
        try:
            request = waiting.buffer.add(data)
        except BadRequest as bad:
            self._send_away(waiting, bad.answer)
            return
        if request is None:
            self._watch(waiting, self._read)
        else:
            self._decide(waiting, request)

    # -- who is served ---------------------------------------------------------------------------------------------

    def _decide(self, waiting: Waiting, request: Request) -> None:
        try:
            ends = ends_of(waiting.socket)
        except OSError:
            self._close(waiting)
            return
        house, visitor = self._house, self._visitor(waiting, request)
        file = None if visitor.is_keyed or request.method != "GET" else house.file(request, visitor)
        if file is not None and house.is_crowded(visitor.group):
            self._give_file(waiting, file)
            return
        connection = house.connections.admit(ends, visitor, is_urgent=self._is_urgent(request, visitor))
        if connection is not None:
            self._room.remove(waiting)
            self._unwatch(waiting)
            self._serve(waiting.socket, connection, request)
        elif file is not None:
            self._give_file(waiting, file)
        else:
            self._hold_back(waiting, CROWDED)

    def _visitor(self, waiting: Waiting, request: Request) -> Visitor:
        user = user_of(waiting.socket) if self._house.knows_users else None
        group = waiting.address if user is None else f"user {user}"
        is_own_user = user is not None and user == os.getuid()
        return self._house.access.visitor(group, is_own_user=is_own_user, cookies=request.cookies)

    def _is_urgent(self, request: Request, visitor: Visitor) -> bool:
        """Without a session, but from one who has shown that he may steer."""
        if request.method != "POST":
            return False
        if request.path == "/order":
            return visitor.may_steer
        key = (read_json(request.body) or {}).get("key") if request.path == "/unlock" else None
        return isinstance(key, str) and self._house.access.is_key(key)

    # -- who is not ------------------------------------------------------------------------------------------------

    def _give_file(self, waiting: Waiting, file: bytes) -> None:
        """So that the page can always be opened, and the key be entered; at once as long as not too many want that."""
        self._files_given += 1
        if self._files_given <= FILES_AT_ONCE:
            self._send_away(waiting, file)
        else:
            self._hold_back(waiting, file)

    def _hold_back(self, waiting: Waiting, answer: bytes) -> None:
        """Who asks again at once after an answer does so less often."""
        self._unwatch(waiting)
        waiting.answer, waiting.until = answer, time.monotonic() + SECONDS_TO_REFUSE

    def _send_away(self, waiting: Waiting, answer: bytes) -> None:
        """What still comes in is read and dropped for a while: a connection closed before that loses the answer."""
        self._unwatch(waiting)
        waiting.answer, waiting.until = None, time.monotonic() + SECONDS_TO_LEAVE
        try:
            waiting.socket.send(answer)
            waiting.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(waiting)
            return
        self._watch(waiting, self._drop_data)

    def _drop_data(self, waiting: Waiting) -> None:
        try:
            count = len(waiting.socket.recv(READ_AT_ONCE))
        except BlockingIOError:
            return
        except OSError:
            count = 0
        waiting.dropped += count
        if not count or waiting.dropped > MOST_DROPPED:
            self._close(waiting)

    def _watch(self, waiting: Waiting, readable: Callable[[Waiting], None]) -> None:
        if not waiting.is_watched:
            waiting.is_watched = True
            self._loop.add_reader(waiting.socket, readable, waiting)

    def _unwatch(self, waiting: Waiting) -> None:
        if waiting.is_watched:
            waiting.is_watched = False
            self._loop.remove_reader(waiting.socket)

    def _close(self, waiting: Waiting) -> None:
        self._unwatch(waiting)
        self._room.remove(waiting)
        waiting.socket.close()

    def _sweep(self) -> None:
        self._files_given = 0
        for waiting in self._room.overdue(time.monotonic()):
            if waiting.answer is not None:
                self._send_away(waiting, waiting.answer)
            else:
                self._close(waiting)
        self._house.connections.sweep()
        self._timer = self._loop.call_later(SECONDS_BETWEEN_SWEEPS, self._sweep)


def ends_of(connection: socket.socket) -> Ends:
    """Theirs, ours; `OSError` if the other end is gone."""
    there, here = connection.getpeername(), connection.getsockname()
    return (str(there[0]), int(there[1])), (str(here[0]), int(here[1]))


def raise_limit(wanted: int = 2048) -> None:
    """Of open files, as far as the system lets us: some begin with 256."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))
