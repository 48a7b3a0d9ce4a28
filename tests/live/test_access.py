"""Who may steer, from where, and how fast."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.live.access import Access, KeyRefused, Visitor, is_same_origin, new_key
from tests.live.apart import run_apart


def visitor(access: Access, cookies: str = "", **about) -> Visitor:
    return access.visitor("192.0.2.7", **{"is_own_user": False, **about}, cookies=cookies)


def test_only_the_key_opens_and_it_may_be_typed_loosely():
    async def try_keys() -> None:
        key = new_key()
        access = Access(key, host="0.0.0.0")
        assert not visitor(access).may_steer
        session = await access.unlock(f" {key.upper().replace('-', ' ')}", guesser="a")
        cookie = access.cookie(session, host="boat.local:8330").split(";")[0]
        assert visitor(access, f"other=1; {cookie}; akrig-1=x").may_steer
        for wrong in (cookie[:-1], session, f"akrig-8330x={session}", "akrig-8330=", "akrig-8330"):
            assert not visitor(access, wrong).may_steer
        with pytest.raises(KeyRefused):
            await access.unlock(key[:-1], guesser="a")

    run_apart(try_keys())


def test_the_user_who_shows_the_page_needs_no_key_on_the_same_computer():
    access = Access(new_key(), host="127.0.0.1")
    own = visitor(access, is_own_user=True)
    assert own.may_steer
    assert not own.is_keyed
    assert visitor(access, access.cookie(access.own_session, host="127.0.0.1:8330")).is_keyed


def test_cookies_are_kept_apart_by_the_port_that_the_browser_knows():
    access = Access(new_key(), host="127.0.0.1")
    names = {access.cookie("s", host=host).partition("=")[0] for host in ("a:8330", "[::1]:9000", "a", "a:x", "[")}
    assert names == {"akrig-8330", "akrig-9000", "akrig-80"}


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

    assert run_apart(guess()) >= 0.02 * (1 + 2 + 4 + 8)


@pytest.mark.parametrize("guesser", ["elsewhere", "operator"])
def test_wrong_keys_do_not_slow_the_operator_even_from_the_same_address(guesser):
    async def unlock() -> None:
        key = new_key()
        access = Access(key, host="0.0.0.0")
        wrong = [asyncio.create_task(access.unlock("wrong", guesser=guesser)) for _ in range(30)]
        await asyncio.wait(wrong[:1])
        assert await access.unlock(key, guesser="operator")
        assert not wrong[5].done()  # it still waits
        for task in wrong:
            task.cancel()
        await asyncio.gather(*wrong, return_exceptions=True)

    run_apart(unlock())


@pytest.mark.parametrize("host", ["127.0.0.1:8330", "[::1]:8330", "192.168.1.7:80", "localhost:1", "Boat.Lan"])
def test_addresses_and_own_names_are_known(host):
    assert Access(new_key(), host="boat.lan").knows_host(host)


@pytest.mark.parametrize("host", ["evil.example:8330", "127.0.0.1.evil.example", "", "[::1", "localhost.evil.example"])
def test_other_names_are_not(host):
    assert not Access(new_key(), host="127.0.0.1").knows_host(host)


@given(st.text(max_size=30))
def test_only_the_page_itself_is_of_the_same_origin(origin):
    assert is_same_origin(origin, "127.0.0.1:8330") == (
        origin.lower() in ("http://127.0.0.1:8330", "https://127.0.0.1:8330")
    )
    assert not is_same_origin(None, "127.0.0.1:8330")
