"""Orders go through the run folder: each is taken up once and answered; what is no order is refused."""

import json
import os

import pytest

from akrig.journal.folder import RunFolder
from akrig.survey.link import Order
from akrig.survey.mailbox import FolderMailbox, OrderNotTaken, answer_to, await_answer, give_order


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.toml").write_text("")
    return RunFolder.open(tmp_path)


def test_orders_arrive_in_order_and_once(folder):
    box = FolderMailbox(folder, note=lambda order, answer: None)
    names = [give_order(folder, "hold"), give_order(folder, "goto", (8.5, 47.3))]
    orders = box.waiting()
    assert orders == [Order(names[0], "hold"), Order(names[1], "goto", (8.5, 47.3))]
    assert box.waiting() == []


def test_answers_come_back_and_are_noted(folder):
    noted = []
    box = FolderMailbox(folder, note=lambda order, answer: noted.append((order.word, answer.accepted, answer.text)))
    name = give_order(folder, "skip")
    assert answer_to(folder, name) is None
    box.answer(box.waiting()[0], accepted=True, text="on to the next waypoint")
    assert await_answer(folder, name, seconds=1).text == "on to the next waypoint"
    assert noted == [("skip", True, "on to the next waypoint")]


def test_orders_of_an_earlier_survey_are_not_carried_out(folder):
    give_order(folder, "return")
    assert FolderMailbox(folder, note=lambda order, answer: None).waiting() == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[1]",
        '{"word": "fly", "given": 1e12}',
        '{"word": "goto", "given": 1e12}',
        '{"word": "hold", "given": 1}',
        '{"word": "hold", "given": NaN}',
        '{"word": "goto", "given": 1e12, "place": {}}',
        '{"word": "' + "x" * 20_000 + '", "given": 1e12}',
        "[" * 5000,
    ],
)
def test_what_is_no_order_is_refused(folder, content):
    box = FolderMailbox(folder, note=lambda order, answer: None)
    (folder.orders / "1.order.json").write_text(content)
    assert box.waiting() == []
    answer = answer_to(folder, "1")
    assert not answer.accepted
    assert json.loads((folder.orders / "1.answer.json").read_text())["text"] == answer.text


def test_pipes_and_devices_are_neither_orders_nor_answers(folder):
    box = FolderMailbox(folder, note=lambda order, answer: None)
    os.mkfifo(folder.orders / "1.order.json")
    os.mkfifo(folder.orders / "2.answer.json")
    (folder.orders / "3.order.json").symlink_to("/dev/zero")
    assert box.waiting() == []
    assert [answer_to(folder, name).text for name in "13"] == ["this is not an order"] * 2
    assert answer_to(folder, "2") is None


def test_nobody_there_is_said(folder):
    with pytest.raises(OrderNotTaken, match="is it running"):
        await_answer(folder, give_order(folder, "hold"), seconds=0.1)
