"""Nothing that a client sends is shown on the operator's terminal."""

import json
import socket
import struct

import pytest

from tests.live.operating import PATIENCE, Operator, running_survey

NESTED = "[" * 1900
UPGRADE = (
    "GET /feed HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory, serve):
    with running_survey(tmp_path_factory.mktemp("terminal") / "lake") as folder:
        yield serve(folder.path)


@pytest.fixture
def operator(served):
    """Afterwards the page is served as before, and nothing was said."""
    operator = Operator(served.port)
    yield operator
    assert operator.ask("/access")[0] == 200
    assert served.said == []


@pytest.mark.parametrize(
    "x", ["1e200", "-1e308", "1e8", "inf", "nan", "1" * 400, "0x10", "", "%00", "1e200&readings=1"]
)
def test_places_that_are_not_on_the_earth(operator, x):
    status, _, body = operator.ask(f"/at?x={x}&y=0")
    assert status == 200
    assert json.loads(body) == {"source": "none", "degrees": None}


@pytest.mark.parametrize("path", ["/order", "/unlock"])
@pytest.mark.parametrize(
    "body", [NESTED, '{"a":' * 380, "", "\x00", '"', "{}", "[]", '{"word": {}, "key": {}}', "1" * 1900]
)
def test_bodies_of_all_kinds(operator, path, body):
    assert sent(operator, path, body) == 400


@pytest.mark.parametrize("place", ["1e400", "9" * 400, "1e200", "null", '"1"', "[]", '"nan"', "-1e9"])
def test_orders_to_places_that_are_none(operator, place):
    assert sent(operator, "/order", f'{{"word": "goto", "x": {place}, "y": 1e200}}') == 400


@pytest.mark.parametrize("nonce", ["{}", "[]", "1", '"a"', "null"])
def test_nonces_of_all_kinds(operator, nonce):
    assert sent(operator, "/order", f'{{"word": "hold", "nonce": {nonce}}}') == 200


def test_an_order_that_is_sent_twice_is_given_once(operator):
    answers = [operator.ask("/order", "POST", content={"word": "hold", "nonce": "n1"})[2] for _ in range(2)]
    assert answers[0] == answers[1]
    assert operator.ask("/order", "POST", content={"word": "hold", "nonce": "n2"})[2] != answers[0]


@pytest.mark.parametrize("after", ["", "POST ", "Host: ", "Content-Length: 30\r\n", "\r\n\r\n", '"word": ', "}"])
@pytest.mark.parametrize("is_rude", [False, True])
def test_clients_that_leave_in_the_middle(operator, after, is_rude):
    """In a request line, in the headers, in the body, after it; with a farewell, or without."""
    host = f"127.0.0.1:{operator.port}"
    request = f"POST /order HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n"
    whole = request + 'Content-Length: 30\r\n\r\n{"word": "hold"              }'
    leave(operator, whole[: whole.index(after) + len(after)].encode(), is_rude=is_rude)


@pytest.mark.parametrize("is_rude", [False, True])
@pytest.mark.parametrize("frame", [b"", b"\x81\x85\x00\x00\x00\x00\xff\xfe\xff\xfe\xff", b"\xff" * 50, b"\x89\x80\x00"])
def test_listeners_that_leave_or_say_nonsense(operator, frame, is_rude):
    leave(operator, UPGRADE.format(host=f"127.0.0.1:{operator.port}").encode(), is_rude=is_rude, then=frame)


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: [\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
        b"G\x00T / HTTP/1.1\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /at?x=%C0%80&y=\xc0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /feed HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + b"akrig-1=\xff;" * 900 + b"\r\n\r\n",
    ],
)
def test_requests_that_are_none(operator, data):
    leave(operator, data)


def sent(operator: Operator, path: str, body: str) -> int:
    """The answer's status to a body as it is."""
    host = f"127.0.0.1:{operator.port}"
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body.encode())}", "Connection: close", "", body]
    with socket.create_connection(("127.0.0.1", operator.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return int(connection.makefile("rb").readline().split()[1])


def leave(operator: Operator, data: bytes, *, is_rude: bool = False, then: bytes | None = None) -> None:
    """Sends this, and goes: with a reset, without waiting, if it is rude.

    Args:
        then: sent when the answer has begun.
    """
    with socket.create_connection(("127.0.0.1", operator.port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        if then is not None:
            connection.recv(100)
            connection.sendall(then)
        if is_rude:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif then is None:
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
