"""Requests are answered at a bounded rate, and nobody's haste delays the others."""

import asyncio
import time

from akrig.live.rate_limit import RateLimiter
from tests.live.apart import run_apart


def test_who_hurries_waits_and_a_crowd_is_turned_away():
    async def hurry() -> tuple[float, list[bool]]:
        begin, all_have_asked = time.monotonic(), False
        clock = lambda: time.monotonic() if all_have_asked else begin  # noqa: E731 - at once, on a busy machine, too
        turns = RateLimiter(200.0, burst=10, most_waiting=20, clock=clock)
        asked = [asyncio.create_task(turns.take("a")) for _ in range(60)]
        await asyncio.sleep(0)
        all_have_asked = True
        answers = await asyncio.gather(*asked)
        return time.monotonic() - begin, answers

    seconds, answers = run_apart(hurry())
    assert seconds > 0.05
    assert sum(answers) == 30


def test_turns_go_round_among_those_who_ask():
    """Whoever asks next has to wait for one request of each of the others, not for all of them."""

    async def ask() -> list[str]:
        turns, order = RateLimiter(500.0, burst=1, most_waiting=100), []

        async def one(who: str) -> None:
            assert await turns.take(who)
            order.append(who)

        crowd = [asyncio.create_task(one("crowd")) for _ in range(60)]
        await asyncio.sleep(0)
        await asyncio.gather(*crowd, one("operator"), one("watcher"))
        return order

    order = run_apart(ask())
    assert order.index("operator") <= 4
    assert order.index("watcher") <= 4
    assert len(order) == 62


def test_a_costly_request_takes_the_turns_of_many():
    now = [0.0]

    async def ask() -> None:
        turns = RateLimiter(10.0, burst=5, most_waiting=5, clock=lambda: now[0])
        assert await turns.take("a", cost=20.0)
        assert not turns.is_crowded("a")
        waits = asyncio.create_task(turns.take("a"))
        await asyncio.sleep(0)
        assert turns.is_crowded("a")
        assert not waits.done()
        now[0] = 1.7  # seconds later, all is paid
        turns._give()
        assert await waits

    run_apart(ask())


def test_who_leaves_while_waiting_takes_no_turn():
    async def ask() -> bool:
        turns = RateLimiter(50.0, burst=1, most_waiting=5)
        assert await turns.take("a")
        left = asyncio.create_task(turns.take("a"))
        await asyncio.sleep(0)
        left.cancel()
        return await turns.take("b")

    assert run_apart(ask())
