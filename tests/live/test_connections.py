"""Who is served, and who gives way."""

import itertools

import pytest

from akrig.live import connections as limits
from akrig.live.access import Visitor
from akrig.live.connections import Connection, Connections

PORTS = itertools.count(1)
OPERATOR = Visitor("192.0.2.1", session="s")


class Line:
    """As much of a transport as is looked at."""

    def __init__(self) -> None:
        self.unsent, self.is_down = 0, False

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def close(self) -> None:
        self.is_down = True

    abort = close


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def served(clock) -> Connections:
    return Connections(clock)


def come(served: Connections, visitor: Visitor, *, is_urgent: bool = False) -> Connection | None:
    found = served.admit((("client", next(PORTS)), ("page", 1)), visitor, is_urgent=is_urgent)
    if found is not None:
        found.transport = Line()  # pyright: ignore[reportAttributeAccessIssue]
    return found


def crowd(served: Connections, group: str, count: int) -> list[Connection]:
    return [found for found in (come(served, Visitor(group)) for _ in range(count)) if found is not None]


def test_an_address_has_its_share_and_no_more(served):
    assert len(crowd(served, "a", 500)) == limits.MOST_PER_GROUP
    assert come(served, Visitor("b")) is not None


def test_an_operator_always_has_a_place(served):
    for group in "abcdef":
        crowd(served, group, 500)
    assert come(served, OPERATOR) is not None
    assert come(served, Visitor("a"), is_urgent=True) is not None


def test_who_comes_from_elsewhere_takes_the_place_of_the_largest_crowd(served):
    early, late = crowd(served, "a", 64), crowd(served, "b", 64)
    assert come(served, Visitor("c")) is not None
    assert sum(one.is_dropped for one in early + late) == 1
    assert len(crowd(served, "c", 500)) + 1 <= limits.MOST_KEYLESS // 3 + 1


def test_who_is_idle_gives_way_to_who_asks(served):
    those = crowd(served, "a", 64)
    served.rest(those[7])
    assert come(served, Visitor("a")) is not None
    assert [one.is_dropped for one in those].index(True) == 7
    assert come(served, Visitor("a")) is None


def test_one_that_gets_the_key_moves_to_the_places_of_those_who_have_it(served):
    those = crowd(served, "a", 64)
    served.begin(those[0], OPERATOR)
    assert come(served, Visitor("a")) is not None
    crowd(served, "b", 500)
    assert not those[0].is_dropped


def test_too_many_with_a_key_lose_their_oldest(served):
    first = come(served, OPERATOR)
    for _ in range(limits.MOST_KEYED):
        assert come(served, OPERATOR) is not None
    assert first is not None
    assert first.is_dropped


def test_watchers_of_one_address_leave_room_for_those_of_others(served):
    many = [served.watch(one) for one in crowd(served, "a", 64)]
    assert sum(many) == limits.MOST_WATCHING_PER_GROUP
    for group in ("b", "c", "d"):
        for one in crowd(served, group, 30):
            served.watch(one)
    newcomer, operator = come(served, Visitor("e")), come(served, OPERATOR)
    assert newcomer is not None
    assert operator is not None
    assert served.watch(newcomer)
    assert served.watch(operator)


def test_who_idles_is_let_go_within_seconds_but_an_operator_later(served, clock):
    stranger, operator, busy = come(served, Visitor("a")), come(served, OPERATOR), come(served, Visitor("b"))
    served.rest(stranger)
    served.rest(operator)
    clock.now = limits.SECONDS_IDLE + 0.1
    served.sweep()
    assert [one.transport.is_down for one in (stranger, operator, busy)] == [True, False, False]
    clock.now = limits.SECONDS_IDLE_KEYED + 0.1
    served.sweep()
    assert [one.transport.is_down for one in (operator, busy)] == [True, False]


def test_who_takes_nothing_of_what_was_asked_for_is_let_go(served, clock):
    slow, stalled = come(served, Visitor("a")), come(served, Visitor("b"))
    for one in (slow, stalled):
        one.transport.unsent = 500_000
    for second in range(30):
        clock.now = float(second)
        slow.transport.unsent -= 2 * limits.LEAST_TAKEN // limits.SECONDS_STALLED
        served.sweep()
    assert not slow.transport.is_down
    assert stalled.transport.is_down


def test_who_left_has_no_place_any_more(served):
    for _ in range(3):
        those = crowd(served, "a", 500)
        assert len(those) == limits.MOST_PER_GROUP
        for one in those:
            served.forget(one)
            served.forget(one)  # a line goes down once, but is forgotten where it broke, too
    assert list(served) == []
