"""What a planner foresaw is written with its plan, and nothing of others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.errors import BrokenJournal
from akrig.journal.events import Content, Journal, from_line, read_journal, to_line
from akrig.journal.plans import foresight_of, plan_event, plan_of
from akrig.journal.record import recorded_epochs, unfinished_leg
from akrig.types import ForeseenWay, Foresight, Plan
from tests.journal.test_events import EPOCH

numbers = st.floats(-1e9, 1e9)
ways = st.builds(
    lambda places, error: ForeseenWay(np.array(places), error),
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4),
    st.floats(0, 1e9),
)
foresights = st.builds(Foresight, ways, st.none() | ways, st.booleans())
PLAN = Plan(np.array([[1.0, 2.0]]))


def alike(a, b):
    if a is None or b is None:
        return a is b
    return a.error == b.error and np.array_equal(a.places, b.places)


@given(foresights)
def test_what_was_foreseen_reads_back_bit_for_bit(foresight):
    event = from_line(to_line(plan_event(Plan(PLAN.waypoints, foresight))).encode())
    found = plan_of(event).foresight
    assert found is not None
    assert alike(found.route, foresight.route)
    assert alike(found.lawnmower, foresight.lawnmower)
    assert found.is_share == foresight.is_share


def test_nothing_is_written_for_those_who_look_no_farther():
    assert plan_event(PLAN) == {"event": "plan", "waypoints": [[1.0, 2.0]]}
    assert foresight_of(plan_event(PLAN)) is None


def test_finished_and_broken_off_legs_know_what_was_foreseen(tmp_path):
    foresight = Foresight(ForeseenWay(np.array([[0.0, 0.0], [3.0, 4.0]]), 0.42))
    journal = Journal(tmp_path / "j", content=Content([], [], 0))
    journal.begin("0.1.0")
    journal.plan(Plan(PLAN.waypoints, foresight))
    journal.settle(EPOCH)
    journal.plan(Plan(PLAN.waypoints, foresight))
    journal.close()
    events = read_journal(tmp_path / "j").events
    found = [recorded_epochs(events)[0].plan, unfinished_leg(events)[0]]
    assert [plan and plan.foresight and plan.foresight.route.metres for plan in found] == [5.0, 5.0]


@pytest.mark.parametrize(
    "foresight",
    [
        7,
        {},
        {"is_share": True},
        {"is_share": 1, "route": {"way": [[0, 0]], "error": 1}},
        {"is_share": True, "route": {"way": [], "error": 1}},
        {"is_share": True, "route": {"way": [[0, 0, 0]], "error": 1}},
        {"is_share": True, "route": {"way": [[0, 0], [1, 1]], "error": -1}},
        {"is_share": True, "route": {"way": [[0, 0], [1, 1]], "error": 1}, "lawnmower": []},
    ],
)
def test_what_makes_no_sense_is_refused(foresight, tmp_path):
    lines = [{"event": "mission", "format": 1}, {**plan_event(PLAN), "foresight": foresight}]
    (tmp_path / "j").write_text("".join(map(to_line, lines)))
    with pytest.raises(BrokenJournal, match="line 2 does not make sense"):
        read_journal(tmp_path / "j")
