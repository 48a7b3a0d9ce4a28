"""The page's addresses, asked by clients of all kinds."""

import http.client
import json
import os
import socket
import struct
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record
from akrig.live.access import FIRST_DELAY
from tests.live.models import load_model


@pytest.fixture(scope="module")
def page(run, serve):
    """On loopback: no key needed."""
    return serve(run)


@pytest.fixture(scope="module")
def open_page(run, serve):
    """On all addresses: with a key."""
    return serve(run, "--host", "0.0.0.0")


def ask(served, path: str, method: str = "GET", *, content: Any = None, **headers: str) -> tuple[int, dict, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    given = {"Host": f"127.0.0.1:{served.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    body = None if content is None else json.dumps(content)
    if body is not None:
        given.setdefault("Content-Type", "application/json")
    connection.request(method, path, body=body, headers=given)
    answer = connection.getresponse()
    result = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return result


def origin(served) -> str:
    return f"http://127.0.0.1:{served.port}"


@contextmanager
def listening(served, **options):
    with connect(f"ws://127.0.0.1:{served.port}/feed", origin=origin(served), max_size=None, **options) as client:
        yield client


def test_two_clients_are_told_the_same(page, run):
    with listening(page) as first, listening(page) as second:
        told = [json.loads(client.recv(30)) for client in (first, second)]
    assert told[0]["streams"] == told[1]["streams"]
    assert len(told[0]["streams"]["readings"]["t"]) == len(read_record(run).samples)
    assert told[0]["about"]["run"] == "run"
    assert str(run) not in json.dumps(told[0])  # where it lies on the disk is nobody's business


def test_the_prediction_is_the_models_own(page, run, rng):
    model = load_model(run)
    with listening(page) as client:  # somebody must look before the model is asked
        client.recv(30)
        until = time.monotonic() + 150
        while ask(page, "/map/model")[0] == 404 and time.monotonic() < until:
            time.sleep(0.3)
    workspace = read_record(run).workspace
    for x, y in rng.uniform(workspace.lower, workspace.upper, size=(4, 2)):
        said = json.loads(ask(page, f"/at?x={x}&y={y}")[2])
        expected = model.predict(np.array([[x, y]]))
        assert said["source"] == "model"
        assert said["mean"] == pytest.approx(expected.mean[0], rel=1e-9)
        assert said["std"] == pytest.approx(expected.std[0], rel=1e-9)


def test_maps_are_those_of_the_folder(page, run):
    readings, file = RunFolder(run).list_snapshots()[0]
    data = ask(page, f"/map/{readings}")[2]
    (size,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + size])
    values = np.frombuffer(data[4 + size :], "<f4").reshape(-1, 12, 14)
    assert header["readings"] == readings
    with np.load(file) as arrays:
        for name, layer in zip(header["layers"], values, strict=True):
            np.testing.assert_array_equal(layer, arrays[name])


@pytest.mark.parametrize(
    "path",
    [
        "/page/../serving.py", "/page/..%2f..%2fserving.py", "/page/%2e%2e/app.py", "/config.toml", "/page/config.toml",
        "/map/999999", "/map/-1", "/map/..%2fjournal", "//etc/passwd", "/page//etc/passwd", "/truth/9999/9999",
        "/truth/1/1", "/map/" + "9" * 400,
    ],
)  # fmt: skip
def test_nothing_but_the_page_can_be_read(page, path):
    status, _, body = ask(page, path)
    assert status in (404, 400)
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize("query", ["", "?x=1", "?x=nan&y=1", "?x=1e99&y=0", "?x=a&y=b", "?x=0&y=0&readings=77777"])
def test_places_that_are_none_have_no_prediction(page, query):
    status, _, body = ask(page, f"/at{query}")
    assert status == 200
    assert json.loads(body)["source"] == "none"


def test_the_browser_is_told_to_be_careful(page):
    _, headers, body = ask(page, "/")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers
    assert b"<script type" in body


def test_a_name_that_another_server_answers_for_is_refused(page):
    assert ask(page, "/", Host="evil.example")[0] == 421


@pytest.mark.parametrize("path", ["/order", "/unlock"])
def test_other_sites_are_refused(page, open_page, path):
    for served in (page, open_page):
        for elsewhere in ("https://evil.example", "null", f"http://localhost:{served.port + 1}"):
            status, _, body = ask(served, path, "POST", content={"word": "hold"}, Origin=elsewhere)
            assert status == 403
            assert b"another site" in body
        assert ask(served, path, "POST", content={"word": "hold"})[0] == 403


def test_news_are_not_for_other_sites(page):
    for elsewhere in ("https://evil.example", None):
        with (
            pytest.raises((InvalidStatus, ConnectionClosed)),
            connect(f"ws://127.0.0.1:{page.port}/feed", origin=elsewhere) as client,
        ):
            client.recv(10)


def test_a_form_of_another_kind_is_no_order(page):
    status, *_ = ask(page, "/order", "POST", content={"word": "hold"}, Origin=origin(page), Content_Type="text/plain")
    assert status == 400


def test_orders_need_the_key_and_the_key_is_not_in_any_address(open_page):
    def order(**headers):
        return ask(open_page, "/order", "POST", content={"word": "hold"}, Origin=origin(open_page), **headers)

    status, _, body = order()
    assert status == 401
    assert b"operator's key" in body
    assert order(Cookie=f"akrig-{open_page.port}=guess")[0] == 401
    assert order(Authorization=f"Bearer {open_page.key}")[0] == 401
    assert ask(open_page, f"/access?key={open_page.key}")[2] == b'{"steers":false,"needsKey":true}'
    status, headers, _ = ask(open_page, "/unlock", "POST", content={"key": open_page.key}, Origin=origin(open_page))
    assert status == 200
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    status, _, body = order(Cookie=cookie.split(";")[0])
    assert status == 409  # it may steer, but a mission that is over has nothing to steer
    assert b"Nothing can be steered" in body


def test_wrong_keys_are_slowed_down(open_page):
    seconds = []
    for _ in range(3):
        begin = time.monotonic()
        assert ask(open_page, "/unlock", "POST", content={"key": "wrong"}, Origin=origin(open_page))[0] == 403
        seconds.append(time.monotonic() - begin)
    assert seconds[1] >= FIRST_DELAY
    assert seconds[2] >= 2 * FIRST_DELAY
    key = {"key": open_page.key}
    assert ask(open_page, "/unlock", "POST", content=key, Origin=origin(open_page))[0] == 200  # and forgiven


def test_large_bodies_are_refused(page):
    assert ask(page, "/order", "POST", content={"word": "x" * 100_000}, Origin=origin(page))[0] == 400


def test_clients_that_stall_or_chatter_bother_nobody(page):
    """Twenty that never read, one that talks, one that sends half a request: the page is served as before."""
    stalled = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(20)]
    for client in stalled:
        host = f"127.0.0.1:{page.port}"
        client.sendall(
            f"GET /feed HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
    half = socket.create_connection(("127.0.0.1", page.port))
    half.sendall(b"GET / HTTP/1.1\r\nHost: ")
    with listening(page) as chatty:
        chatty.recv(30)
        chatty.send("drop table")
        with pytest.raises(ConnectionClosed):
            chatty.recv(30)
    begin = time.monotonic()
    with listening(page) as client:
        assert client.recv(30)
    assert ask(page, "/")[0] == 200
    assert time.monotonic() - begin < 10
    for client in (*stalled, half):
        client.close()


def test_who_asks_as_fast_as_possible_is_held_back(page):
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=60)
    begin, count = time.monotonic(), 220
    for _ in range(count):
        connection.request("GET", "/access")
        connection.getresponse().read()
    connection.close()
    assert time.monotonic() - begin > (count - 161) / 40 * 0.9


def test_the_folder_is_left_as_it_was(page, run):
    """Looking writes nothing; the lock file is the mission's own."""
    names = sorted(str(path.relative_to(run)) for path in Path(run).rglob("*"))
    with listening(page) as client:
        client.recv(30)
    assert sorted(str(path.relative_to(run)) for path in Path(run).rglob("*")) == names
    assert "orders" not in os.listdir(run)
