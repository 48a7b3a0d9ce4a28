"""A crowd at the door does not push newcomers out."""

import socket

import pytest

from akrig.live.pending import PendingConnection, PendingConnections


@pytest.fixture
def arrive():
    opened = []

    def begin(address: str, until: float = 1.0) -> PendingConnection:
        opened.append(socket.socket())
        return PendingConnection(opened[-1], address, until)

    yield begin
    for one in opened:
        one.close()


def test_when_it_is_full_the_oldest_of_the_largest_crowd_leaves(arrive):
    room = PendingConnections(10)
    other = arrive("b")
    room.add(other)
    those = [arrive("a") for _ in range(9)]
    assert [room.add(one) for one in those] == [None] * 9
    assert room.add(arrive("a")) is those[0]
    assert room.add(arrive("c")) is those[1]
    assert room.add(arrive("b")) is those[2]
    assert len(room) == 10


def test_a_newcomer_stays_until_all_of_the_crowd_before_it_have_left(arrive):
    room = PendingConnections(10)
    for _ in range(10):
        room.add(arrive("a"))
    newcomer = arrive("a")
    room.add(newcomer)
    assert newcomer not in [room.add(arrive("a")) for _ in range(9)]
    assert room.add(arrive("a")) is newcomer


def test_who_waited_too_long_is_known_and_can_be_removed_twice(arrive):
    room = PendingConnections(10)
    early, late = arrive("a", 1.0), arrive("a", 3.0)
    room.add(early)
    room.add(late)
    assert room.overdue(2.0) == [early]
    room.remove(early)
    room.remove(early)
    assert len(room) == 1
    assert room.clear() == [late]
    assert len(room) == 0
