"""Connections that are being served: how many there may be, whose, and who gives way when there are too many."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from akrig.live.access import Visitor

MOST_KEYED, MOST_URGENT = 96, 32
MOST_KEYLESS, MOST_PER_GROUP = 128, 64  # in all, and of one group: several people may share an address
MOST_WATCHING, MOST_WATCHING_PER_GROUP = 64, 24
SECONDS_IDLE, SECONDS_IDLE_KEYED = 5.0, 75.0  # until the next request must be there, whole
SECONDS_STALLED, LEAST_TAKEN = 10.0, 10_000  # who does not take so many bytes of what is sent in this time is let go
ALLOWANCE = 200  # bytes that a watcher may say for each message that it is told

Endpoints = tuple[tuple[str, int], tuple[str, int]]


@dataclass(eq=False)
class Connection:
    """Args:
    ends: theirs and ours.
    visitor: who made the latest request on it.
    """

    ends: Endpoints
    visitor: Visitor
    pool: dict[Endpoints, "Connection"]
    since: float
    state: Literal["busy", "idle", "watching"] = "busy"
    transport: asyncio.Transport | None = None
    is_dropped: bool = False
    allowance: int = 0
    unsent: int = 0
    unsent_since: float = 0.0

    def spend(self, count: int) -> bool:
        """A watcher has sent so many bytes; `False` if that is more than it has to say."""
        self.allowance -= count
        return self.allowance >= 0


class Connections:
    """Keyed ones, urgent ones (a request that carries the right key, or its own user's order) and all the others, which
    never take a place from the first two.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._all: dict[Endpoints, Connection] = {}
        self._keyed: dict[Endpoints, Connection] = {}
        self._urgent: dict[Endpoints, Connection] = {}
        self._groups: dict[str, dict[Endpoints, Connection]] = {}

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._all.values()))

    def of(self, scope: Mapping[str, Any]) -> Connection | None:
        return self._all.get((scope.get("client") or ("", 0), scope.get("server") or ("", 0)))

    # -- coming and going ------------------------------------------------------------------------------------------

    def admit(self, ends: Endpoints, visitor: Visitor, *, is_urgent: bool = False) -> Connection | None:
        """`None` if there is no place."""
        if visitor.is_keyed:
            pool = _with_room(self._keyed, MOST_KEYED)
        elif is_urgent:
            pool = _with_room(self._urgent, MOST_URGENT)
        elif self._has_room(visitor.group):
            pool = self._groups.setdefault(visitor.group, {})
        else:
            return None
        connection = pool[ends] = self._all[ends] = Connection(ends, visitor, pool, self._clock())
        return connection

    def _has_room(self, group: str) -> bool:
        """Makes some if it can: who is idle gives way, then the latest of the group that has most."""
        mine = self._groups.get(group, {})
        if len(mine) >= MOST_PER_GROUP:
            return _drop_idle(mine)
        if sum(map(len, self._groups.values())) < MOST_KEYLESS:
            return True
        largest = max(self._groups.values(), key=len)
        if _drop_idle(largest):
            return True
        return len(largest) > len(mine) + 1 and _drop(list(largest.values())[-1])

    def forget(self, connection: Connection) -> None:
        self._all.pop(connection.ends, None)
        connection.pool.pop(connection.ends, None)
        group = connection.visitor.group
        if group in self._groups and not self._groups[group]:
            del self._groups[group]

    # -- what happens on one ---------------------------------------------------------------------------------------

    def begin(self, connection: Connection, visitor: Visitor) -> None:
        """Another request; its visitor may have got the key meanwhile."""
        if visitor.is_keyed and connection.pool is not self._keyed:
            self.forget(connection)
            connection.pool = _with_room(self._keyed, MOST_KEYED)
            connection.pool[connection.ends] = self._all[connection.ends] = connection
        connection.visitor = visitor
        self._set(connection, "busy")

    def rest(self, connection: Connection) -> None:
        """The request is answered."""
        self._set(connection, "idle")

    def watch(self, connection: Connection) -> bool:
        """It becomes one that news are sent on; `False` if there are too many of those."""
        if connection.pool is not self._keyed and not self._has_room_to_watch(connection.visitor.group):
            return False
        self._set(connection, "watching")
        connection.allowance = ALLOWANCE
        return True

    def _has_room_to_watch(self, group: str) -> bool:
        watching = {name: _watching(pool) for name, pool in self._groups.items()}
        mine = len(watching.get(group, ()))
        if mine >= MOST_WATCHING_PER_GROUP:
            return False
        if sum(map(len, watching.values())) < MOST_WATCHING:
            return True
        largest = max(watching.values(), key=len)
        return len(largest) > mine + 1 and _drop(largest[-1])

    def _set(self, connection: Connection, state: Literal["busy", "idle", "watching"]) -> None:
        connection.state, connection.since = state, self._clock()

    def sweep(self) -> None:
        """Lets those go that idle, or do not take what they asked for."""
        now = self._clock()
        for connection in self:
            transport = connection.transport
            if transport is None:
                continue
            unsent = transport.get_write_buffer_size()
            if not unsent or not connection.unsent or connection.unsent - unsent >= LEAST_TAKEN:
                connection.unsent, connection.unsent_since = unsent, now
            elif now - connection.unsent_since > SECONDS_STALLED:
                transport.abort()
            patience = SECONDS_IDLE_KEYED if connection.visitor.is_keyed else SECONDS_IDLE
            if connection.state == "idle" and not unsent and now - connection.since > patience:
                transport.close()


def _with_room(pool: dict[Endpoints, Connection], most: int) -> dict[Endpoints, Connection]:
    if len(pool) >= most and not _drop_idle(pool):
        _drop(next(iter(pool.values())))
    return pool


def _drop_idle(pool: dict[Endpoints, Connection]) -> bool:
    """The one that has been there longest."""
    idle = (connection for connection in pool.values() if connection.state == "idle")
    return _drop(next(idle, None))


def _drop(connection: Connection | None) -> bool:
    if connection is None:
        return False
    connection.is_dropped = True
    del connection.pool[connection.ends]  # at once: `forget` comes only when the line is down
    if connection.transport is not None:
        connection.transport.abort()
    return True


def _watching(pool: dict[Endpoints, Connection]) -> list[Connection]:
    return [connection for connection in pool.values() if connection.state == "watching"]
