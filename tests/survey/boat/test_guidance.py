"""How each hull drives: turns and stays as ArduPilot's two simulated motorboats do (measured at 1.5 m/s)."""

import math

import pytest

from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.dynamics import HULLS
from tests.survey.boat.rig import Rig

CALM = {"gps_drift_std": 0.0, "gps_noise_std": 0.02}
TURNED_AT = 47.9  # metres north, two before the end of the line


def hairpin(hull: str, *, across: float) -> tuple[float, float]:
    """Metres past the place where it was told to turn back, and metres between the two ways."""
    rig = Rig(hull=hull, **CALM).ready()
    rig.go_to(0, 50)
    rig.run_until(lambda: rig.boat.position[1] > TURNED_AT, seconds=90)
    rig.go_to(across, 0)
    track = []
    for _ in range(150):
        rig.run(0.1)
        track.append(rig.boat.position)
    return max(y for _, y in track) - TURNED_AT, max(abs(x) for x, y in track if y > 45)


@pytest.mark.parametrize("across", [8.0, -8.0])
def test_with_a_rudder_a_hairpin_swings_out_by_its_circle(across):
    past, width = hairpin("rudder", across=across)
    assert 2.3 < past < 3.3  # ArduPilot's: 2.8 to 3.0
    assert 2.2 < width < 3.2  # 2.7


def test_with_thrusters_a_hairpin_is_tighter():
    past, width = hairpin("thrusters", across=8.0)
    assert past < 2.0  # ArduPilot's: 1.0 to 1.6
    assert width < 1.8


def test_with_a_rudder_it_cannot_turn_on_the_spot():
    turned = {}
    for hull in HULLS:
        rig = Rig(hull=hull).ready(Mode.MANUAL)
        for _ in range(10):
            rig.send(mavlink.MAVLink_manual_control_message(1, 0, 1000, 500, 0, 0))
            rig.run(0.5)
        turned[hull] = abs(rig.boat.motion.heading)
    assert turned["rudder"] < 0.05
    assert turned["thrusters"] > 2


@pytest.mark.parametrize("hull", HULLS)
def test_it_arrives_with_either_hull_whichever_way_it_lies(hull):
    for heading in (0.0, 2.0, math.pi):
        rig = Rig(hull=hull, heading=heading).ready()
        rig.go_to(-15, 30)
        rig.run_until(lambda rig=rig: rig.away_from(-15, 30) < 3, seconds=90)


@pytest.mark.parametrize("hull", HULLS)
def test_in_a_current_it_loiters_downstream_of_its_place(hull):
    rig = Rig(hull=hull, current_speed=0.3, current_towards=math.pi / 2, **CALM).ready()
    rig.go_to(0, 30)
    rig.run(60)
    place = rig.boat.autopilot.task.goal
    away = []
    for _ in range(120):
        rig.run(1)
        away.append(rig.away_from(*place))
    assert max(away) < 2.6  # LOIT_RADIUS is 2
    assert rig.boat.position[0] - place[0] > 1.5


def test_a_boat_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="one of: thrusters, rudder"):
        Rig(hull="sails")
