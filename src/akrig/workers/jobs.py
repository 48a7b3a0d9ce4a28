"""What is computed anywhere, and what becomes of it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Job:
    """A function and what it is given, all of which can be sent to another machine.

    Args:
        name: of its own among those that are given together.
        kind: one word; jobs of a kind take about equally long.
    """

    name: str
    act: Callable[..., Any]
    arguments: tuple[Any, ...]
    kind: str = "run"


@dataclass(frozen=True)
class FailedJob:
    """Instead of a result: the function raised something, or nobody survived it.

    Args:
        reason: one line.
    """

    reason: str
    traceback: str


class Workers(Protocol):
    """Entered, it is ready to work; left, it is gone."""

    def __enter__(self) -> "Workers": ...

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None: ...

    @property
    def size(self) -> int:
        """Workers, now."""
        ...

    def results(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Any]]:
        """Of every job, as they end; what a function raises in another process becomes a `FailedJob`."""
        ...

    def wait(self, seconds: float) -> None:
        """For somebody else; Ctrl-C ends it."""
        ...


class ThisProcess:
    """This process, one job after the other."""

    size = 1

    def __enter__(self) -> "ThisProcess":
        return self

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None:
        pass

    def results(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Any]]:
        for job in jobs:
            yield job, job.act(*job.arguments)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)
