"""Where connections wait until their request is whole, or until they are told that it is refused."""

import socket
from dataclasses import dataclass, field

from akrig.live.requests import RequestBuffer

MOST_WAITING = 512


@dataclass(eq=False)
class PendingConnection:
    """A connection that takes up no place yet.

    Args:
        address: it comes from.
        until: then it is dropped, or gets its answer.
        answer: that it waits for, if it is not to be served.
    """

    socket: socket.socket
    address: str
    until: float
    answer: bytes | None = None
    is_watched: bool = False
    dropped: int = 0
    buffer: RequestBuffer = field(default_factory=RequestBuffer)


class PendingConnections:
    """When it is full, the address with most gives way, the longest waiting first.

    So a newcomer always has a while to say what it wants: all of a flood that came before it must leave first.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most, self._count = most, 0
        self._addresses: dict[str, dict[PendingConnection, None]] = {}

    def __len__(self) -> int:
        return self._count

    def add(self, pending: PendingConnection) -> PendingConnection | None:
        """Returns who has to leave for it, if anybody has."""
        evicted = self.oldest() if self._count >= self._most else None
        if evicted is not None:
            self.remove(evicted)
        self._addresses.setdefault(pending.address, {})[pending] = None
        self._count += 1
        return evicted

    def oldest(self) -> PendingConnection | None:
        """Of the address with most."""
        if not self._addresses:
            return None
        return next(iter(max(self._addresses.values(), key=len)))

    def remove(self, pending: PendingConnection) -> None:
        """Once is enough."""
        group = self._addresses.get(pending.address, {})
        if pending in group:
            del group[pending]
            self._count -= 1
            if not group:
                del self._addresses[pending.address]

    def overdue(self, now: float) -> list[PendingConnection]:
        return [pending for group in self._addresses.values() for pending in group if now >= pending.until]

    def clear(self) -> list[PendingConnection]:
        everybody = [pending for group in self._addresses.values() for pending in group]
        self._addresses, self._count = {}, 0
        return everybody
