"""A stretch of a survey goes on where the last one ended, also in a journal from before soundings had ids."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.random import default_rng

from akrig.geometry import Pose
from akrig.journal.events import read_journal, to_line
from akrig.strategies.pilot import KnowsNothing
from akrig.survey.area import Area
from akrig.survey.exports.data import sounding_rows
from akrig.survey.start import RestOfPlan, last_id, last_time, unfinished_waypoints, unused_soundings
from akrig.types import Budget, Plan, Situation
from tests.survey.link.rig import ISLAND, lake


def journal(tmp_path, *, has_ids: bool) -> list[dict]:
    """Eight soundings, the third rejected; the second and the fifth were used."""
    events: list[dict] = [{"event": "mission", "format": 1, "akrig": "0"}]
    for k in range(1, 9):
        heard = {"time": k / 7, "unix": 1e9 + k, "position": [float(k), 0.0], "raw": 4.0}
        heard |= {"event": "rejected", "reason": "jump"} if k == 3 else {"event": "sounding", "value": 5.0 + k}
        events.append({**heard, "id": k} if has_ids else heard)
        if k in (2, 5):
            whole = {"time": k / 7, "position": [float(k), 0.0], "value": 5.0 + k}
            events.append({"event": "measurement", **({"sounding": k} if has_ids else whole)})
    (tmp_path / "journal.jsonl").write_text("".join(map(to_line, events)))
    return read_journal(tmp_path / "journal.jsonl").events


@pytest.mark.parametrize("has_ids", [True, False])
def test_what_was_heard_and_not_used_comes_first_and_ids_go_on(tmp_path, has_ids):
    events = journal(tmp_path, has_ids=has_ids)
    assert [(reading.id, reading.value) for reading in unused_soundings(events)] == [(6, 11.0), (7, 12.0), (8, 13.0)]
    assert (last_id(events), last_time(events)) == (8, 8 / 7)


@pytest.mark.parametrize("has_ids", [True, False])
def test_every_sounding_is_exported_with_what_became_of_it(tmp_path, has_ids):
    rows = sounding_rows(journal(tmp_path, has_ids=has_ids))
    assert [row.status for row in rows] == ["kept", "used", "rejected", "kept", "used", "kept", "kept", "kept"]


def test_a_survey_that_has_not_begun():
    assert (unused_soundings([]), last_id([]), last_time([])) == ([], 0, 0.0)


HOME = (0.0, 0.0)
WAYPOINTS = [[10.0, 0.0], [20.0, 0.0], [20.0, 10.0]]


class Elsewhere:
    """A strategy that always goes to the same place."""

    def plan(self, belief, situation, rng) -> Plan:
        return Plan(np.array([[-50.0, -50.0]]))


def plan(waypoints=WAYPOINTS) -> dict:
    return {"event": "plan", "waypoints": waypoints}


def reached(number: int) -> dict:
    return {"event": "reached", "time": 1.0, "waypoint": number}


def planned(interrupted: RestOfPlan, *, at: tuple[float, float] = (0.0, 0.0), area: Area | None = None) -> list:
    situation = Situation(Pose(at), (area or lake()).extent, Budget(), epoch=1)
    return interrupted.plan(KnowsNothing(), situation, default_rng(0)).waypoints.tolist()


READING = {"event": "measurement", "time": 0.5}


@pytest.mark.parametrize(("done", "left"), [(0, WAYPOINTS), (1, WAYPOINTS[1:]), (2, WAYPOINTS[2:])])
def test_what_was_not_reached_is_left(done, left):
    events = [
        plan([[1.0, 1.0]]),
        READING,
        reached(0),
        {"event": "epoch"},
        plan(),
        *map(reached, range(done)),
        {"event": "epoch"},
    ]
    found = unfinished_waypoints(events, HOME)
    assert found is not None
    assert found.tolist() == left


@pytest.mark.parametrize(
    "events",
    [[], [plan()], [READING, plan(), *map(reached, range(3))], [READING, plan([[5.0, 5.0], list(HOME)])]],
    ids=["no plan", "no reading", "done", "way home"],
)
def test_nothing_is_left_of_a_plan_that_is_done_or_not_begun_and_of_the_way_home(events):
    assert unfinished_waypoints(events, HOME) is None


def test_the_rest_comes_first_then_the_strategy():
    interrupted = RestOfPlan(Elsewhere(), lake(), 5.0, np.array(WAYPOINTS[1:]))
    assert not interrupted.is_done
    assert planned(interrupted) == WAYPOINTS[1:]
    assert interrupted.is_done
    assert planned(interrupted) == [[-50.0, -50.0]]


def test_the_rest_is_reached_by_an_allowed_way_from_wherever_the_boat_is():
    area = lake(ISLAND)
    way = np.array([[10.0, 0.0], *planned(RestOfPlan(Elsewhere(), area, 5.0, np.array([[60.0, 0.0]])), at=(10.0, 0.0))])
    assert len(way) > 2
    assert all(area.allows_leg(a, b, margin=4.99) for a, b in pairwise(way))


def test_a_rest_that_cannot_be_reached_is_left_to_the_strategy():
    assert planned(RestOfPlan(Elsewhere(), lake(ISLAND), 5.0, np.array([[30.0, 0.0]]))) == [[-50.0, -50.0]]
