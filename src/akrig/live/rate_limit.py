"""How fast anybody may ask: so many requests a second, shared fairly."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable

SECONDS_TO_REFUSE = 1.0  # being turned away takes a while, too: nobody gets more by asking faster


class RateLimiter:
    """So many requests a second for all together. When more is asked for, each who asks gets a turn after the other.

    By hand: the limiters there are refuse who asks too fast, which would make the operator's page fail in a crowd.

    Args:
        burst: turns that add up while nobody asks.
        most_waiting: requests of one who asks that may wait for their turn; more are turned away.
    """

    def __init__(
        self, per_second: float, *, burst: float, most_waiting: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second, self._burst, self._most, self._clock = per_second, burst, most_waiting, clock
        self._left, self._counted_at = burst, clock()
        self._waiting: OrderedDict[str, deque[tuple[asyncio.Future[None], float]]] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None

    def is_crowded(self, who: str) -> bool:
        return who in self._waiting

    async def take(self, who: str, *, cost: float = 1.0) -> bool:
        """Waits for a turn; `False` if too many of `who` wait already."""
        self._count()
        if not self._waiting and self._left >= 1.0:
            self._left -= cost
            return True
        queue = self._waiting.setdefault(who, deque())
        if len(queue) >= self._most:
            await asyncio.sleep(SECONDS_TO_REFUSE)
            return False
        turn = asyncio.get_running_loop().create_future()
        queue.append((turn, cost))
        self._set_timer()
        await turn
        return True

    def _count(self) -> None:
        now = self._clock()
        self._left = min(self._left + (now - self._counted_at) * self._per_second, self._burst)
        self._counted_at = now

    def _set_timer(self) -> None:
        if self._timer is None and self._waiting:
            wait = max(0.0, (1.0 - self._left) / self._per_second)
            self._timer = asyncio.get_running_loop().call_later(wait, self._give)

    def _give(self) -> None:
        """The first who waits gets a turn, and is the last then."""
        self._timer = None
        self._count()
        while self._waiting and self._left >= 1.0 - 1e-6:
            who, queue = next(iter(self._waiting.items()))
            turn, cost = queue.popleft()
            if queue:
                self._waiting.move_to_end(who)
            else:
                del self._waiting[who]
            if not turn.done():  # who has left meanwhile needs none
                turn.set_result(None)
                self._left -= cost
        self._set_timer()
