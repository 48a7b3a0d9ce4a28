"""What happened, in columns and in plain words."""

import json

from akrig.live.history import MissionHistory

NO_LIMITS = {"readings": 40, "distance": None, "time": None}


def measurement(k: int) -> dict:
    return {"event": "measurement", "time": float(k), "position": [k, 2 * k], "value": 1 / 3}


def epoch(time: float, readings: int) -> dict:
    return {"event": "epoch", "time": time, "position": [0, 0], "heading": 0.0, "readings": readings, "distance": 5.0}


def told(*events: dict) -> MissionHistory:
    history = MissionHistory(NO_LIMITS)
    for event in ({"event": "mission"}, *events):
        history.add_event(event)
    return history


PLAN = {"event": "plan", "waypoints": [[1, 2]]}


def test_a_leg_that_was_broken_off_and_repeated_counts_once():
    history = told(PLAN, measurement(1), epoch(1, 1), PLAN, measurement(2), measurement(3), PLAN, measurement(2))
    assert history.streams.readings["t"] == [1.0, 2.0]


def test_the_log_says_what_happened_and_what_was_done():
    order = {"event": "command", "time": 3.0, "command": "goto", "accepted": False, "answer": "outside the fence"}
    notice = {"event": "notice", "time": 2.0, "level": "alarm", "message": "No word from the boat."}
    history = told(PLAN, measurement(1), epoch(1, 20), notice, order, {"event": "end", "reason": "holds: low battery"})
    log = list(zip(history.streams.log["level"], history.streams.log["text"], strict=True))
    assert ("alarm", "No word from the boat.") in log
    assert ("warning", "Go there next: refused, outside the fence.") in log
    assert ("info", "Half of the budget is spent.") in log
    assert log[-1] == ("warning", "The mission ended early: it holds: low battery")
    assert history.ended == "holds: low battery"


def test_rejected_readings_keep_their_reason_even_without_a_place():
    history = told({"event": "rejected", "time": 1.0, "position": None, "raw": None, "reason": "no GPS fix"})
    assert history.streams.since({})["rejected"] == {
        "from": 0, "t": [1.0], "x": [None], "y": [None], "reason": ["no GPS fix"],
    }  # fmt: skip


def test_numbers_that_are_none_do_not_spoil_the_message():
    history = MissionHistory(NO_LIMITS)
    history.add_telemetry({"time": 1.0, "x": float("nan"), "battery": float("inf"), "waiting": ["a", "b"]})
    content = json.loads(json.dumps(history.streams.since({}), allow_nan=False))
    assert content["boat"]["x"] == [None]
    assert content["boat"]["waiting"] == ["a b"]


def test_events_of_a_later_akrig_are_passed_over():
    assert len(told({"event": "eclipse", "time": 9.0}).streams.log) == 1


def test_time_goes_on_even_when_the_boats_clock_is_set_back():
    history = told(PLAN, measurement(5), measurement(3), measurement(6))
    assert history.streams.readings["t"] == [5.0, 5.0, 6.0]
    for time in (5.0, 3.0, 6.0):
        history.add_telemetry({"time": time})
    assert history.streams.boat["t"] == [5.0, 5.0, 6.0]


def test_what_the_planner_foresaw_is_told_as_far_as_it_is_seen():
    route = {"way": [[0, 0], [3.001, 4.0]], "error": 0.4213}
    foresight = {"is_share": False, "route": route, "lawnmower": None}
    history = told({**PLAN, "foresight": foresight}, PLAN)
    found, none = history.streams.plans["foresight"]
    assert found == {
        "isShare": False, "route": {"way": [[0.0, 0.0], [3.0, 4.0]], "error": 0.4213, "metres": 5.0}, "lawnmower": None,
    }  # fmt: skip
    assert none is None


def test_a_foresight_that_cannot_be_read_takes_no_plan_with_it():
    for odd in (7, {}, {"is_share": False, "route": {"way": "north", "error": 1.0}}):
        plans = told({**PLAN, "foresight": odd}).streams.plans
        assert (plans["waypoints"], plans["foresight"]) == ([[[1, 2]]], [None])
