"""Depths of an echo sounder beside the autopilot: right, or not at all."""

import math
import os
import tty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.errors import LinkLost
from akrig.survey.link.nmea import NmeaDepths, depth_of
from akrig.survey.link.transport import open_transport
from tests.survey.link.rig import free_port, until


def sentence(body: str) -> str:
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}"


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("$SDDBT,15.4,f,4.7,M,2.6,F*3C\r\n", None),  # a wrong checksum
        (sentence("SDDBT,15.4,f,4.7,M,2.6,F"), 4.7),
        (sentence("SDDBT,15.4,f,4.7,M,2.6,F").lower().replace("sddbt", "SDDBT").replace("m", "M"), None),
        ("$SDDBT,15.4,f,4.7,M,2.6,F", 4.7),  # some have no checksum
        (sentence("SDDBT,10.0,f,,M,,F"), 3.048),
        (sentence("SDDPT,3.25,0.5"), 3.25),
        (sentence("IIDPT,3.25,-0.5,100.0"), 3.25),
        (sentence("SDDPT,3.25"), 3.25),
        (sentence("GPGGA,1,2,3"), None),
        (sentence("SDDBT,15.4"), None),
        (sentence("SDDPT,deep,0.5"), None),
        (sentence("SDDPT"), None),
        ("SDDPT,3.25,0.5", None),
        ("$SDDPT,3.25,0.5*", None),
        ("$SDDPT,3.25,0.5*ZZ", None),
        ("", None),
    ],
)
def test_sentences(text, depth):
    found = depth_of(text)
    assert found == (None if depth is None else pytest.approx(depth))


@pytest.mark.parametrize("body", ["SDDBT,,f,,M,,F", "SDDPT,,0.5"])
def test_no_bottom_found_is_nan(body):
    assert math.isnan(depth_of(sentence(body)) or 0.0)


@given(st.text(max_size=60))
def test_garbage_is_no_error(text):
    depth_of(text)
    depth_of("$SDDBT," + text)


@given(st.floats(0, 300).map(lambda depth: round(depth, 2)), st.integers(1, 10), st.integers(0, 255))
def test_one_changed_byte_is_noticed(depth, place, byte):
    good = sentence(f"SDDPT,{depth},0.0").encode()
    bad = good[:place] + bytes([byte]) + good[place + 1 :]
    assert bad == good or byte == ord("*") or depth_of(bad.decode("ascii", "replace")) is None


def heard(depths: NmeaDepths, count: int) -> list[float]:
    return [until(lambda: not depths.heard.empty()) and depths.heard.get()[1] for _ in range(count)]


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r", ""])
def test_over_udp_with_whatever_line_ends(ending):
    depths = NmeaDepths(address := f"udpin:127.0.0.1:{free_port()}")
    depths.start()
    sonar = open_transport(address.replace("udpin", "udpout"))
    for depth in (1.0, 2.0, 3.0):
        sonar.write((sentence(f"SDDPT,{depth},0") + ending).encode())
    assert heard(depths, 2) == [1.0, 2.0]
    depths.close()
    sonar.close()


def test_over_a_serial_line_in_pieces_and_with_noise():
    other, device = os.openpty()
    tty.setraw(other)
    tty.setraw(device)
    depths = NmeaDepths(f"serial:{os.ttyname(device)}:4800")
    depths.start()
    text = "\x00\xff garbage " + sentence("SDDBT,3.28,f,1.00,M,0.5,F") + "\r\n" + sentence("SDDPT,2.0,0") + "\r\n"
    for byte in text.encode("latin-1"):
        os.write(other, bytes([byte]))
    os.write(other, b"x" * 10_000 + b"\n" + sentence("SDDPT,3.0,0").encode() + b"\r\n")
    assert heard(depths, 3) == [1.0, 2.0, 3.0]
    depths.close()
    os.close(other)
    os.close(device)


def test_an_address_that_cannot_be_opened_is_a_lost_link():
    with pytest.raises(LinkLost, match="echo sounder's serial:/dev/nowhere"):
        NmeaDepths("serial:/dev/nowhere:4800").start()
