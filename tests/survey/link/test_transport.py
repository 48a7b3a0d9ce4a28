"""Bytes get through whichever line there is, in both directions; a line that breaks says so with an `OSError`."""

import os
import socket
import threading
import time
import tty

import pytest

from akrig.survey.link.transport import Transport, check_address, open_transport
from tests.survey.link.rig import free_port, until


def received(transport: Transport, count: int) -> bytes:
    data, end = b"", time.monotonic() + 5
    while len(data) < count and time.monotonic() < end:
        data += transport.read(0.05)
    return data


def read_on(transport: Transport) -> bytes:
    """Until the line breaks."""
    while True:
        transport.read(0.02)


@pytest.fixture
def serial_line():
    """The other end, and the name of the device."""
    other, device = os.openpty()
    tty.setraw(other)
    tty.setraw(device)
    yield other, os.ttyname(device)
    for end in (other, device):
        os.close(end)


def test_udp_listens_and_answers_whoever_speaks():
    port = free_port()
    here, boat = open_transport(f"udpin:127.0.0.1:{port}"), open_transport(f"udpout:127.0.0.1:{port}")
    here.write(b"nobody is there yet")
    boat.write(b"hello")
    assert received(here, 5) == b"hello"
    here.write(b"steer")
    assert received(boat, 5) == b"steer"
    here.close()
    boat.close()


def test_udp_answers_every_boat_that_was_heard_lately_and_the_last_one_for_ever(monkeypatch):
    now = 0.0
    monkeypatch.setattr("akrig.survey.link.transport.time", type("Time", (), {"monotonic": lambda: now}))
    here = open_transport(address := f"udpin:127.0.0.1:{free_port()}")
    first, second = (open_transport(address.replace("udpin", "udpout")) for _ in range(2))
    first.write(b"1")
    assert here.read(1) == b"1"
    now = 100.0
    here.write(b"still there?")
    assert first.read(1) == b"still there?"
    second.write(b"2")
    assert here.read(1) == b"2"
    here.write(b"!")
    assert (second.read(1), first.read(0.1)) == (b"!", b"")
    for transport in (here, first, second):
        transport.close()


def test_udp_may_be_heard_and_answered_from_two_threads():
    here = open_transport(address := f"udpin:127.0.0.1:{free_port()}")
    failures, stop = [], threading.Event()

    def write() -> None:
        try:
            while not stop.is_set():
                here.write(b"x")
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    for _ in range(200):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as boat:
            boat.sendto(b"y", ("127.0.0.1", int(address.rpartition(":")[2])))
            here.read(1)
    stop.set()
    thread.join()
    here.close()
    assert failures == []


def test_udp_survives_that_nobody_listens():
    there = open_transport(f"udpout:127.0.0.1:{free_port()}")
    for _ in range(3):
        there.write(b"hello?")
        assert there.read(0.02) == b""
    there.close()


def test_tcp_calls_and_notices_when_the_other_end_closes():
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = open_transport(f"tcp:127.0.0.1:{server.getsockname()[1]}")
        boat, _ = server.accept()
    here.write(b"hello")
    assert boat.recv(5) == b"hello"
    boat.sendall(b"boat")
    assert received(here, 4) == b"boat"
    assert here.read(0.01) == b""
    boat.close()
    with pytest.raises(OSError, match="closed"):
        read_on(here)
    here.close()


def test_tcp_that_nobody_answers_cannot_be_opened():
    with pytest.raises(OSError, match="refused"):
        open_transport(f"tcp:127.0.0.1:{free_port()}")


def test_tcp_waits_for_the_boat_to_call_again_and_again():
    port = free_port()
    here = open_transport(f"tcpin:127.0.0.1:{port}")
    here.write(b"nobody is there yet")
    for words in (b"first", b"again"):
        boat = socket.create_connection(("127.0.0.1", port))
        boat.sendall(words)
        assert received(here, 5) == words
        here.write(b"answer")
        assert boat.recv(6) == b"answer"
        boat.close()
        here.read(0.05)  # a caller who leaves is no broken line
    here.close()


def test_the_newest_caller_counts():
    port = free_port()
    here = open_transport(f"tcpin:127.0.0.1:{port}")
    old = socket.create_connection(("127.0.0.1", port))
    here.read(0.5)
    new = socket.create_connection(("127.0.0.1", port))
    here.read(0.5)
    here.write(b"hello")
    assert (new.recv(5), old.recv(5)) == (b"hello", b"")
    for end in (old, new, here):
        end.close()


def test_serial_line(serial_line):
    other, device = serial_line
    here = open_transport(f"serial:{device}:57600")
    os.write(other, b"boat")
    assert received(here, 4) == b"boat"
    here.write(b"steer")
    assert os.read(other, 5) == b"steer"
    assert here.read(0.01) == b""
    here.close()


def test_a_device_that_is_not_there_is_an_os_error():
    with pytest.raises(OSError, match="nowhere"):
        open_transport("serial:/dev/nowhere:57600")


@pytest.mark.parametrize(
    "address",
    ["", "udp", "udpin:14550", "udpin:localhost:port", "udpin:127.0.0.1:0", "tcp:127.0.0.1:70000", "serial:/dev/tty",
     "serial::9600", "http://127.0.0.1:1"],
)  # fmt: skip
def test_what_is_no_address_is_said_with_an_example(address):
    for act in (check_address, open_transport):
        with pytest.raises(ValueError, match=r"no address of a link|needs a host and a port|needs a device"):
            act(address)


@pytest.mark.parametrize(
    "address", ["udp:0.0.0.0:14550", "udpin:127.0.0.1:1", "tcp:boat.local:5760", "tcpin::1:7", "serial:/dev/ttyS0:9600"]
)
def test_a_right_address_is_checked_without_opening_it(address):
    check_address(address)


def test_a_port_in_use_says_so():
    here = open_transport(address := f"udpin:127.0.0.1:{free_port()}")
    with pytest.raises(OSError, match="in use"):
        open_transport(address)
    here.close()
    until(lambda: open_transport(address).close() or True)
