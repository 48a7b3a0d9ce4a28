"""Orders that were given on the page, and what became of them."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import get_args

from akrig.journal.folder import RunFolder
from akrig.live.streams import Stream
from akrig.survey.link.orders import Word
from akrig.survey.mailbox import ORDER, answer_to, give_order

PATIENCE = 30.0  # seconds until an order that nobody took up is withdrawn
AFTERMATH = 30.0  # seconds more that a late answer is still looked for
MOST_PENDING, MOST_NONCES = 8, 64
WORDS: tuple[str, ...] = get_args(Word)


class Orders:
    """All pages see all orders, so two browsers agree.

    Args:
        clock: the mission's, in seconds.
    """

    def __init__(self, folder: RunFolder, *, clock: Callable[[], float]) -> None:
        self._folder, self._clock = folder, clock
        self.stream = Stream("id", "word", "t", "x", "y", "state", "text")
        self._pending: dict[str, tuple[int, float]] = {}  # its place in the stream, and when it was given
        self._nonces: OrderedDict[str, str] = OrderedDict()

    @property
    def num_pending(self) -> int:
        return len(self._pending)

    def known(self, nonce: object) -> str | None:
        """The order that was given with this nonce, if there is one."""
        return self._nonces.get(nonce) if isinstance(nonce, str) else None

    def give(
        self,
        word: Word,
        place: tuple[float, float] | None,
        *,
        degrees: tuple[float, float] | None,
        nonce: object = None,
    ) -> str:
        """Args:
        place: local metres, of "goto"; `degrees` is the same.
        nonce: that whoever gives the order calls it by; given twice, it is meant once.
        """
        name = give_order(self._folder, word, degrees)
        if isinstance(nonce, str):
            self._nonces[nonce] = name
            while len(self._nonces) > MOST_NONCES:
                self._nonces.popitem(last=False)
        x, y = place or (None, None)
        self._pending[name] = (len(self.stream), time.monotonic())
        self.stream.append(name, word, self._clock(), x, y, "pending", "")
        return name

    def poll(self) -> None:
        """For answers."""
        now = time.monotonic()
        for name, (index, given) in list(self._pending.items()):
            answer = answer_to(self._folder, name)
            if answer is not None:
                del self._pending[name]
                self.stream.change(index, state="accepted" if answer.accepted else "refused", text=answer.text)
            elif now - given > PATIENCE + AFTERMATH:
                del self._pending[name]
            elif now - given > PATIENCE and self.stream["state"][index] == "pending":
                (self._folder.orders / f"{name}{ORDER}").unlink(missing_ok=True)
                text = "nobody took it up, so it is withdrawn; is the survey running?"
                self.stream.change(index, state="unanswered", text=text)
