"""Where connections wait until their request is whole, or until they are told that it is refused."""

import socket
from dataclasses import dataclass, field

from akrig.live.requests import RequestBuffer

MOST_WAITING = 512


@dataclass(eq=False)
class Waiting:
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


class WaitingRoom:
    """When it is full, the address with most gives way, the longest waiting first.

    So a newcomer always has a while to say what it wants: all of a flood that came before it must leave first.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most, self._count = most, 0
        self._addresses: dict[str, dict[Waiting, None]] = {}

    def __len__(self) -> int:
        return self._count

    def add(self, waiting: Waiting) -> Waiting | None:
        """Returns who has to leave for it, if anybody has."""
        leaving = self.oldest() if self._count >= self._most else None
        if leaving is not None:
            self.remove(leaving)
        self._addresses.setdefault(waiting.address, {})[waiting] = None
        self._count += 1
        return leaving

    def oldest(self) -> Waiting | None:
        """Of the address with most."""
        if not self._addresses:
            return None
        return next(iter(max(self._addresses.values(), key=len)))

    def remove(self, waiting: Waiting) -> None:
        """Once is enough."""
        those = self._addresses.get(waiting.address, {})
        if waiting in those:
            del those[waiting]
            self._count -= 1
            if not those:
                del self._addresses[waiting.address]

    def overdue(self, now: float) -> list[Waiting]:
        return [waiting for those in self._addresses.values() for waiting in those if now >= waiting.until]

    def clear(self) -> list[Waiting]:
        everybody = [waiting for those in self._addresses.values() for waiting in those]
        self._addresses, self._count = {}, 0
        return everybody
