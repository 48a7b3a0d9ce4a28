"""Who may look, who may steer, and how fast anybody may ask."""

import asyncio
import hmac
import ipaddress
import secrets
import socket
import time
from collections import OrderedDict
from urllib.parse import urlsplit

from akrig.errors import AkrigError

LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # none that look alike
KEY_LENGTH = 16  # 79 bits
MOST_SESSIONS, MOST_GUESSERS = 32, 256
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0  # seconds that a wrong key costs: twice as long each time


def new_key() -> str:
    """In groups of four, to be read from a terminal and typed on a tablet."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(KEY_LENGTH))
    return "-".join(letters[i : i + 4] for i in range(0, KEY_LENGTH, 4))


class KeyRefused(AkrigError, PermissionError):
    """A wrong operator's key."""


class Access:
    """Steering is free on loopback; with a key it needs a session, which the key begins.

    Args:
        key: the operator's; `None` if none is needed.
        host: that the page was asked to listen at.
    """

    def __init__(self, key: str | None, *, host: str) -> None:
        self._key = None if key is None else _plain(key)
        self._host = host.lower()
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def needs_key(self) -> bool:
        return self._key is not None

    def may_steer(self, session: str | None) -> bool:
        return self._key is None or (session is not None and session in self._sessions)

    async def unlock(self, key: str, *, guesser: str) -> str:
        """A new session; `KeyRefused` after a wait that doubles with every wrong key from the same address.

        Guesses of one address wait for each other, so that many at once are not faster.
        """
        if self._key is None:
            raise KeyRefused("This page needs no key.")
        async with self._locks.setdefault(guesser, asyncio.Lock()):
            wrong = self._wrong.get(guesser, 0)
            if wrong:
                await asyncio.sleep(min(FIRST_DELAY * 2 ** (wrong - 1), LONGEST_DELAY))
            if not hmac.compare_digest(_plain(key).encode(), self._key.encode()):
                self._wrong[guesser] = wrong + 1
                self._wrong.move_to_end(guesser)
                while len(self._wrong) > MOST_GUESSERS:
                    self._locks.pop(self._wrong.popitem(last=False)[0], None)
                raise KeyRefused("This is not the operator's key; it was shown on the terminal.")
            self._wrong.pop(guesser, None)
        session = secrets.token_urlsafe(24)
        self._sessions[session] = None
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def knows_host(self, header: str) -> bool:
        """Addresses in figures, or this machine's names: a name that somebody else's server answers for is refused."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            own = socket.gethostname().lower()
            return name in ("localhost", self._host, own, f"{own}.local")
        return True


def is_same_origin(origin: str | None, host: str) -> bool:
    """Browsers say where a page came from; a page from elsewhere gets nothing done here."""
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _plain(key: str) -> str:
    return "".join(letter for letter in key.lower() if letter.isalnum())


class Pace:
    """So many requests a second, all clients together; who asks faster waits, and many who wait are turned away."""

    def __init__(self, per_second: float, *, burst: float, most_waiting: int) -> None:
        self._per_second, self._burst, self._most = per_second, burst, most_waiting
        self._free_at, self._waiting = time.monotonic(), 0

    async def take_turn(self) -> bool:
        """`False` if too many wait already; that answer takes a while too."""
        now = time.monotonic()
        if self._waiting >= self._most:
            await asyncio.sleep(1.0)
            return False
        self._free_at = max(self._free_at, now - self._burst / self._per_second) + 1 / self._per_second
        delay = self._free_at - now
        if delay > 0:
            self._waiting += 1
            try:
                await asyncio.sleep(delay)
            finally:
                self._waiting -= 1
        return True
