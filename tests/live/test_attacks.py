"""Whatever clients without the key do, the operator's orders get through."""

import json
import os
import time

import pytest

from benchmarks.live.attackers import ATTACKS
from tests.live.operating import PATIENCE, Operator, attacked, free_port, running_survey


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    with running_survey(tmp_path_factory.mktemp("attacked") / "lake") as folder:
        yield folder


@pytest.fixture(scope="module")
def served(survey, serve):
    """Where all clients, the operator's too, come from one address, and steering needs the key."""
    return serve(survey.path, "--ask-key")


@pytest.fixture(scope="module")
def own(survey, serve):
    """The page on one's own computer."""
    return serve(survey.path)


@pytest.mark.parametrize("attack", [*ATTACKS, "all"])
def test_an_operator_with_the_key_gets_through(served, survey, attack):
    operator = Operator(served.port)
    with attacked(served.port, attack):
        for part in ("/", "/page/main.js", "/page/style.css"):
            operator.open(part)  # the key can be entered only where the page can be opened
        assert operator.unlock(served.key) == 200
        assert all(operator.is_obeyed(survey) for _ in range(10))
        with operator.listen() as news:
            states = told_states(news.recv(PATIENCE), [])
            while states[-10:] != ["accepted"] * 10:
                news.send("ok")
                states = told_states(news.recv(PATIENCE), states)


def told_states(news: str | bytes, before: list[str]) -> list[str]:
    """Of all orders, as far as the page was told."""
    told = json.loads(news)["streams"].get("orders")
    return before if told is None else before[: told["from"]] + told["state"]


def test_ones_own_user_gets_through_without_a_session(own, survey):
    """Even if it is the own user's programs that run wild; only their orders count, as anybody's who may steer."""
    wild = [attack for attack in ATTACKS if attack != "flood_orders"]
    operator = Operator(own.port)
    with attacked(own.port, *wild):
        assert all(operator.is_obeyed(survey) for _ in range(10))
        operator.cookie = operator.open("/")["set-cookie"].split(";")[0]  # and from then on, no crowd is in the way
        with operator.listen() as news:
            assert news.recv(PATIENCE)


def test_after_a_restart_the_new_key_opens_and_the_old_session_does_not(survey, serve):
    port = free_port()
    first = serve(survey.path, "--ask-key", "--port", str(port))
    operator = Operator(port)
    assert operator.unlock(first.key) == 200
    with attacked(port, "silent", "flood", "flood_anew", "watcher"):
        assert operator.is_obeyed(survey)
        first.process.terminate()
        first.process.wait(PATIENCE)
        second = serve(survey.path, "--ask-key", "--port", str(port))
        assert is_turned_away(operator)  # a stranger now, one of the crowd
        assert operator.unlock(second.key) == 200
        assert all(operator.is_obeyed(survey) for _ in range(10))


def is_turned_away(operator: Operator) -> bool:
    try:
        return operator.order() in (401, 429)
    except ConnectionError:  # let go without a word, to make room for others of the crowd
        return True


@pytest.mark.parametrize("attack", ["watcher", "flood", "idle", "silent"])
def test_people_elsewhere_can_watch_without_a_key(served, attack):
    watcher = Operator(served.port, address="127.0.0.2")
    with attacked(served.port, attack):
        for path in ("/", "/page/main.js", "/access"):
            assert watcher.ask(path)[0] == 200
        with watcher.listen() as news:
            assert json.loads(news.recv(PATIENCE))["about"]["run"] == "lake"


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: ",
        b"POST /order HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
        b"GET /access HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_who_says_nothing_more_is_let_go(served, said):
    with Operator(served.port).connect() as connection:
        connection.sendall(said)
        while connection.recv(65536):
            pass


def test_after_all_of_it_nothing_is_left_open(served):
    """As many files as in the beginning: what was dropped is closed."""
    operator = Operator(served.port)
    operator.ask("/access")
    before = num_files(served.process.pid)
    with attacked(served.port, "all"):
        while num_files(served.process.pid) <= before:  # until they are let in
            time.sleep(0.05)
    while num_files(served.process.pid) > before:
        time.sleep(0.2)


def num_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
