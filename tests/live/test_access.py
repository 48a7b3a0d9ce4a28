"""Who may steer, from where, and how fast."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.live.access import Access, KeyRefused, Pace, is_same_origin, new_key


def test_only_the_key_opens_and_it_may_be_typed_loosely():
    async def try_keys() -> None:
        key = new_key()
        access = Access(key, host="0.0.0.0")
        assert not access.may_steer(None)
        assert not access.may_steer("")
        session = await access.unlock(f" {key.upper().replace('-', ' ')}", guesser="a")
        assert access.may_steer(session)
        assert not access.may_steer(session[:-1])
        with pytest.raises(KeyRefused):
            await access.unlock(key[:-1], guesser="a")

    asyncio.run(try_keys())


def test_keys_are_long_and_never_the_same():
    keys = {new_key() for _ in range(200)}
    assert len(keys) == 200
    assert all(len(key.replace("-", "")) == 16 for key in keys)


def test_wrong_keys_are_slowed_down_even_many_at_once(monkeypatch):
    monkeypatch.setattr("akrig.live.access.FIRST_DELAY", 0.02)

    async def guess() -> float:
        access, begin = Access(new_key(), host="0.0.0.0"), time.monotonic()
        answers = await asyncio.gather(*(access.unlock("wrong", guesser="a") for _ in range(5)), return_exceptions=True)
        assert all(isinstance(answer, KeyRefused) for answer in answers)
        return time.monotonic() - begin

    assert asyncio.run(guess()) >= 0.02 * (1 + 2 + 4 + 8)


def test_a_wrong_key_elsewhere_does_not_slow_the_operator():
    async def unlock() -> None:
        key = new_key()
        access = Access(key, host="0.0.0.0")
        for _ in range(3):
            task = asyncio.create_task(access.unlock("wrong", guesser="stranger"))
            await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await access.unlock(key, guesser="operator")
        task.cancel()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)

    begin = time.monotonic()
    asyncio.run(unlock())
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("host", ["127.0.0.1:8330", "[::1]:8330", "192.168.1.7:80", "localhost:1", "Boat.Lan"])
def test_addresses_and_own_names_are_known(host):
    assert Access(None, host="boat.lan").knows_host(host)


@pytest.mark.parametrize("host", ["evil.example:8330", "127.0.0.1.evil.example", "", "[::1", "localhost.evil.example"])
def test_other_names_are_not(host):
    assert not Access(None, host="127.0.0.1").knows_host(host)


@given(st.text(max_size=30))
def test_only_the_page_itself_is_of_the_same_origin(origin):
    assert is_same_origin(origin, "127.0.0.1:8330") == (
        origin.lower() in ("http://127.0.0.1:8330", "https://127.0.0.1:8330")
    )
    assert not is_same_origin(None, "127.0.0.1:8330")


def test_who_hurries_waits_and_a_crowd_is_turned_away():
    async def hurry() -> tuple[float, list[bool]]:
        pace, begin = Pace(200.0, burst=10, most_waiting=20), time.monotonic()
        answers = await asyncio.gather(*(pace.take_turn() for _ in range(60)))
        return time.monotonic() - begin, answers

    seconds, answers = asyncio.run(hurry())
    assert seconds > 0.05
    assert 20 <= sum(answers) <= 40
