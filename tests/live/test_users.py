"""On a shared computer: the user who shows the page steers, the others need the key."""

import json
import os
import subprocess
import sys

import pytest

from akrig.live.peers import can_tell_users
from tests.live.operating import Operator, running_survey

NOBODY = 65534
# As another user: prints the status and the body of each answer.
CALLS = """
import http.client, json, os, sys, encodings.idna
port, calls = int(sys.argv[1]), json.loads(sys.argv[2])
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for method, path, content, headers in calls:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    given = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json", **headers}
    connection.request(method, path, None if content is None else json.dumps(content), given)
    answer = connection.getresponse()
    cookie = answer.getheader("set-cookie")
    print(json.dumps([answer.status, answer.read().decode()[:200], cookie]))
    connection.close()
"""


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    with running_survey(tmp_path_factory.mktemp("users") / "lake") as folder:
        yield folder


@pytest.fixture(scope="module")
def served(survey, serve):
    return serve(survey.path)


@pytest.fixture(scope="module")
def locked(survey, serve):
    return serve(survey.path, "--ask-key")


def another_user(port: int, *calls) -> list[tuple[int, str, str | None]]:
    """Args:
    calls: method, path, content and headers of each.
    """
    command = [sys.executable, "-c", CALLS, str(port), json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.skipif(not can_tell_users(), reason="this system does not tell who made a connection")
class TestOwnUser:
    def test_steers_without_a_key(self, served):
        operator = Operator(served.port)
        assert json.loads(operator.ask("/access")[2]) == {"steers": True, "needsKey": False}
        assert operator.order() == 200

    def test_has_a_session_once_the_page_is_open(self, served):
        operator = Operator(served.port)
        cookies = [operator.ask(path)[1].get("set-cookie") for path in ("/", "/", "/view", "/page/main.js")]
        assert cookies[0] is not None
        assert cookies[0].startswith(f"akrig-{served.port}=")
        assert "HttpOnly" in cookies[0]
        assert "SameSite=strict" in cookies[0]
        assert cookies[1:] == [cookies[0], None, None]  # always the same: reloading the page ends no session
        operator.cookie = cookies[0].split(";")[0]
        assert operator.ask("/")[1].get("set-cookie") is None
        assert operator.order() == 200

    def test_is_not_known_by_what_a_header_says(self, served):
        headers = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "Forwarded": "for=192.0.2.1"}
        said = Operator(served.port).ask("/access", **headers)[2]
        assert json.loads(said) == {"steers": True, "needsKey": False}


def test_with_ask_key_everybody_needs_it(locked):
    operator = Operator(locked.port)
    assert json.loads(operator.ask("/access")[2]) == {"steers": False, "needsKey": True}
    assert operator.ask("/")[1].get("set-cookie") is None
    assert operator.order() == 401
    assert operator.unlock(locked.key) == 200
    assert operator.order() == 200


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
class TestAnotherUser:
    def test_may_watch_but_not_steer(self, served):
        order = ["POST", "/order", {"word": "hold"}, {}]
        page, access, answer = another_user(served.port, ["GET", "/", None, {}], ["GET", "/access", None, {}], order)
        assert (page[0], page[2]) == (200, None)
        assert json.loads(access[1]) == {"steers": False, "needsKey": True}
        assert answer[0] == 401

    def test_is_not_believed_to_be_here(self, served):
        headers = {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"}
        (answer,) = another_user(served.port, ["POST", "/order", {"word": "hold"}, headers])
        assert answer[0] == 401

    def test_steers_with_the_key(self, served):
        (answer,) = another_user(served.port, ["POST", "/unlock", {"key": served.key}, {}])
        assert answer[0] == 200
        assert answer[2] is not None
        cookie = {"Cookie": answer[2].split(";")[0]}
        assert another_user(served.port, ["POST", "/order", {"word": "hold"}, cookie])[0][0] == 200
