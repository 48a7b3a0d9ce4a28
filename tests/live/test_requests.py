"""Requests are handed on whole, however they come in."""

import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.live.requests import LARGEST_BODY, LARGEST_HEAD, BadRequest, RequestBuffer, read_json, response_bytes

BODY = b'{"word": "hold"}\r\n\r\n'
ORDER = b"POST /order?x=1 HTTP/1.1\r\nHost: boat:1\r\nCookie: a=b\r\ncookie: c=d\r\nContent-Length: 20\r\n\r\n" + BODY


@given(st.lists(st.integers(0, len(ORDER)), max_size=6))
def test_a_request_in_pieces_is_the_same(cuts):
    buffer, places = RequestBuffer(), sorted({0, *cuts, len(ORDER)})
    pieces = [ORDER[a:b] for a, b in itertools.pairwise(places)]
    *early, request = [buffer.add(piece) for piece in pieces]
    assert early == [None] * len(early)
    assert request is not None
    assert (request.method, request.path, request.host) == ("POST", "/order", "boat:1")
    assert request.cookies == "a=b; c=d"
    assert request.body == BODY
    assert request.data == ORDER
    assert buffer.add(ORDER) == request  # and the next one on the same connection


def head(*lines: str) -> bytes:
    return "\r\n".join(["POST /order HTTP/1.1", *lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00", 400),  # a browser that tries https
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: a\n\nGET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", 400),
        (head("Transfer-Encoding: chunked"), 411),
        (head(f"Content-Length: {LARGEST_BODY + 1}"), 400),
        (head("Content-Length: -1"), 400),
        (head("Content-Length: 5", "Content-Length: 5"), 400),
        (head("Content-Length: " + "9" * 5000), 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * LARGEST_HEAD, 431),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * LARGEST_HEAD + b"\r\n\r\n", 431),
    ],
)
def test_what_is_no_request_is_refused_at_once(data, status):
    with pytest.raises(BadRequest) as bad:
        RequestBuffer().add(data)
    assert bad.value.answer.startswith(f"HTTP/1.1 {status} ".encode())


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_waited_for_or_refused(data):
    with suppress(BadRequest):
        RequestBuffer().add(data)


@pytest.mark.parametrize("data", [b"[" * 1999, b"{" * 1999, b'{"a":' * 390, b"[]", b"1", b"", b"\xff\xfe"])
def test_what_is_no_object_is_none(data):
    assert read_json(data) is None


def test_an_answer_is_safe_and_the_last():
    header, _, body = response_bytes(200, b"{}", kind="application/json").partition(b"\r\n\r\n")
    assert json.loads(body) == {}
    assert b"Connection: close" in header
    assert b"Content-Length: 2\r\n" in header
    assert b"nosniff" in header
