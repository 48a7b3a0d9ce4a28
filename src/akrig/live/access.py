"""Who may look, and who may steer."""

import asyncio
import hmac
import ipaddress
import re
import secrets
import socket
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

from akrig.errors import AkrigError

LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # none that look alike
KEY_LENGTH = 16  # 79 bits
MOST_SESSIONS, MOST_GUESSERS = 32, 256
MOST_GUESSES = 8  # wrong keys of one group that wait for their answer
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0  # seconds that a wrong key costs: twice as long each time
COOKIE = re.compile(r"(?:^|;)\s*akrig-\d+=([\w-]+)")  # with a port: browsers share cookies between those of a machine


def new_key() -> str:
    """In groups of four, to be read from a terminal and typed on a tablet."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(KEY_LENGTH))
    return "-".join(letters[i : i + 4] for i in range(0, KEY_LENGTH, 4))


class KeyRefused(AkrigError, PermissionError):
    """A wrong operator's key."""


@dataclass(frozen=True)
class Visitor:
    """Who asks.

    Args:
        group: whose requests count together: an address, or a user of this computer.
        is_own_user: the one who shows the page, on the same computer.
        session: that the key began, or opening one's own page.
    """

    group: str
    is_own_user: bool = False
    session: str | None = None

    @property
    def may_steer(self) -> bool:
        return self.is_own_user or self.session is not None

    @property
    def is_keyed(self) -> bool:
        """Nothing that others do delays such requests."""
        return self.session is not None


class Access:
    """Steering needs a session, which the key begins; the user who shows the page needs none on the same computer.

    Args:
        key: the operator's.
        host: that the page was asked to listen at.
    """

    def __init__(self, key: str, *, host: str) -> None:
        self._key = _plain(key)
        self._host = host.lower()
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}
        self.own_session = secrets.token_urlsafe(24)

    def visitor(self, group: str, *, is_own_user: bool, cookies: str) -> Visitor:
        known = (value for value in COOKIE.findall(cookies) if self._is_session(value))
        return Visitor(group, is_own_user, next(known, None))

    def cookie(self, session: str, *, host: str) -> str:
        """For a browser, which is to keep it to itself."""
        return f"akrig-{_port(host)}={session}; HttpOnly; Path=/; SameSite=strict"

    def _is_session(self, session: str) -> bool:
        return session in self._sessions or hmac.compare_digest(session.encode(), self.own_session.encode())

    def is_key(self, text: str) -> bool:
        return hmac.compare_digest(_plain(text).encode(), self._key.encode())

    async def unlock(self, key: str, *, guesser: str) -> str:
        """A new session, at once; `KeyRefused` after a wait that doubles with every wrong key of the same guesser.

        The right key never waits for wrong ones: 79 bits are not guessed, however fast.
        """
        if not self.is_key(key):
            await self._delay(guesser)
            raise KeyRefused("This is not the operator's key; it was shown on the terminal.")
        self._wrong.pop(guesser, None)
        session = secrets.token_urlsafe(24)
        self._sessions[session] = None
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    async def _delay(self, guesser: str) -> None:
        """Wrong keys of one guesser wait for each other, so that many at once are not faster; so many do not queue."""
        if self._waiting.get(guesser, 0) >= MOST_GUESSES:
            await asyncio.sleep(FIRST_DELAY)
            return
        self._waiting[guesser] = self._waiting.get(guesser, 0) + 1
        try:
            async with self._locks.setdefault(guesser, asyncio.Lock()):
                wrong = self._wrong.get(guesser, 0)
                self._wrong[guesser] = wrong + 1
                self._wrong.move_to_end(guesser)
                while len(self._wrong) > MOST_GUESSERS:
                    self._locks.pop(self._wrong.popitem(last=False)[0], None)
                if wrong:
                    await asyncio.sleep(min(FIRST_DELAY * 2.0 ** min(wrong - 1, 9), LONGEST_DELAY))
        finally:
            self._waiting[guesser] -= 1
            if not self._waiting[guesser]:
                del self._waiting[guesser]

    def knows_host(self, header: str) -> bool:
        """Addresses in figures, or this machine's names: a name that somebody else's server answers for is refused.

        Not Starlette's `TrustedHostMiddleware`, which compares with a list: nobody can list the addresses that lead
        here through a router or a published port. Other sites can point a name at us, but no address.
        """
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


def _port(host: str) -> int:
    try:
        return urlsplit(f"//{host}").port or 80
    except ValueError:
        return 80


def _plain(key: str) -> str:
    return "".join(letter for letter in key.lower() if letter.isalnum())
