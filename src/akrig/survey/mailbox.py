"""Orders to a running survey, through its run folder: a file for each, and another for its answer.

Whoever can write in the run folder may give orders; the survey looks many times a second.
"""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akrig.errors import AkrigError
from akrig.files import UnreadableFile, read_text, write_text
from akrig.journal.folder import RunFolder
from akrig.survey.link.orders import WORDS, Order, Word

ORDER, ANSWER = ".order.json", ".answer.json"
LARGEST = 10_000  # bytes of an order or an answer
OLDEST = 60.0  # seconds: an order that nobody took up by then is not meant any more


class OrderNotTaken(AkrigError, TimeoutError):
    """Nobody took up an order: no survey runs in this folder."""


@dataclass(frozen=True)
class Answer:
    accepted: bool
    text: str


class FolderMailbox:
    """The survey's end.

    Args:
        note: called with every order and its answer.
    """

    def __init__(self, folder: RunFolder, *, note: Callable[[Order, Answer], None]) -> None:
        self._path, self._note = folder.orders, note
        self._path.mkdir(exist_ok=True)
        self._seen = {path.name for path in self._path.glob(f"*{ORDER}")}  # given to a survey that is over

    def waiting(self) -> list[Order]:
        orders = []
        for path in sorted(self._path.glob(f"*{ORDER}")):
            if path.name in self._seen:
                continue
            self._seen.add(path.name)
            order = _read(path)
            if isinstance(order, Order):
                orders.append(order)
            else:
                self._write(path.name.removesuffix(ORDER), Answer(False, order))
        return orders

    def answer(self, order: Order, *, accepted: bool, text: str) -> None:
        answer = Answer(accepted, text)
        self._note(order, answer)
        self._write(order.id, answer)

    def _write(self, name: str, answer: Answer) -> None:
        write_text(self._path / f"{name}{ANSWER}", json.dumps({"accepted": answer.accepted, "text": answer.text}))


def _read(path: Path) -> Order | str:
    """The order, or what is wrong with it."""
    try:
        content: dict[str, Any] = json.loads(read_text(path, most=LARGEST))
        word, place = content["word"], content.get("place")
        given = float(content["given"])
        degrees = None if place is None else (float(place[0]), float(place[1]))
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return "this is not an order"
    if word not in WORDS or (word == "goto") != (degrees is not None):
        return f"{word!r:.40} is not an order; akrig knows {', '.join(WORDS)}"
    if not time.time() - given <= OLDEST:  # nor, if it does not say when it was given
        return "this order is too old"
    return Order(path.name.removesuffix(ORDER), word, degrees)


def give_order(folder: RunFolder, word: Word, place: tuple[float, float] | None = None) -> str:
    """The operator's end: returns the order's name, to ask for its answer."""
    name = f"{time.time_ns():020d}-{secrets.token_hex(3)}"
    folder.orders.mkdir(exist_ok=True)
    write_text(folder.orders / f"{name}{ORDER}", json.dumps({"word": word, "place": place, "given": time.time()}))
    return name


def answer_to(folder: RunFolder, name: str) -> Answer | None:
    """`None` while there is none."""
    try:
        content = json.loads(read_text(folder.orders / f"{name}{ANSWER}", most=LARGEST))
        return Answer(bool(content["accepted"]), str(content["text"]))
    except (FileNotFoundError, UnreadableFile, ValueError, LookupError, TypeError, RecursionError):
        return None


def await_answer(folder: RunFolder, name: str, *, seconds: float) -> Answer:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        answer = answer_to(folder, name)
        if answer is not None:
            return answer
        time.sleep(0.05)
    raise OrderNotTaken(
        f"The survey in {folder.path} did not answer within {seconds:.0f} s; is it running? "
        f"(`akrig resume {folder.path}` goes on with it.)"
    )
