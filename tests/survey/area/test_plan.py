"""Plans as QGroundControl's developers' guide shows them."""

import copy
import json
import math

import numpy as np
import pytest
import shapely

from akrig.survey.area import InvalidArea, read_area
from tests.survey.area.test_validation import ISLAND, RING, degrees

FENCE, HOLE, HOME = (np.array(degrees(X))[:, ::-1].tolist() for X in (RING, ISLAND, [[50, 20]]))
PLAN = {
    "fileType": "Plan",
    "geoFence": {
        "circles": [],
        "polygons": [
            {"inclusion": True, "polygon": FENCE, "version": 1},
            {"inclusion": False, "polygon": HOLE, "version": 1},
        ],
        "version": 2,
    },
    "groundStation": "QGroundControl",
    "mission": {
        "cruiseSpeed": 15, "firmwareType": 3, "globalPlanAltitudeMode": 1, "hoverSpeed": 5, "items": [],
        "plannedHomePosition": [*HOME[0], 487.9], "vehicleType": 11, "version": 2,
    },
    "rallyPoints": {"points": [], "version": 2},
    "version": 1,
}  # fmt: skip


def changed(path, value):
    plan = copy.deepcopy(PLAN)
    at = plan
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return plan


@pytest.fixture
def read(tmp_path):
    def read(plan):
        (tmp_path / "lake.plan").write_text(plan if isinstance(plan, str) else json.dumps(plan))
        return read_area(tmp_path / "lake.plan")

    return read


def test_inclusion_is_the_fence_exclusion_a_keep_out_and_the_planned_home_is_home(read):
    area = read(PLAN)
    assert area.name == "lake"
    for ring, latlon in ((area.fence, FENCE), (area.keep_outs[0], HOLE), (np.array([area.home]), HOME)):
        assert area.frame.to_degrees(ring)[:, ::-1] == pytest.approx(np.array(latlon), abs=1e-9)


def test_one_rally_point_is_home(read):
    there = np.array(degrees([[40, 30]]))[0, ::-1].tolist()
    area = read(changed(("rallyPoints", "points"), [[*there, 50]]))
    assert area.frame.to_degrees(np.array([area.home]))[0, ::-1] == pytest.approx(there, abs=1e-9)
    area = read(changed(("rallyPoints", "points"), [[*there, 50], [*there, 50]]))
    assert area.frame.to_degrees(np.array([area.home]))[0, ::-1] == pytest.approx(HOME[0], abs=1e-9)


@pytest.mark.parametrize("radius", [3.0, 150.0])
def test_a_circle_is_as_round_as_it_must_be_and_on_the_safe_side(read, radius):
    there = np.array(degrees([[50, 20]]))[0, ::-1].tolist()
    fence = {"circle": {"center": there, "radius": 400.0}, "inclusion": True, "version": 1}
    island = {"circle": {"center": there, "radius": radius}, "inclusion": False, "version": 1}
    plan = changed(("geoFence", "polygons"), [])
    plan["geoFence"]["circles"] = [fence, island]
    plan["mission"]["plannedHomePosition"] = None
    area = read(plan)
    middle = area.frame.to_metres(np.array([there[::-1]]))[0]
    inner = shapely.Polygon(area.keep_outs[0] - middle)
    assert inner.covers(shapely.Point(0, 0).buffer(radius - 1e-6, quad_segs=500))
    assert np.hypot(*(area.keep_outs[0] - middle).T).max() < radius + 0.1
    reach = np.hypot(*(area.fence - middle).T)
    assert reach == pytest.approx(400.0, abs=1e-3)
    assert 400 - 400 * math.cos(math.pi / len(reach)) < 0.1


def test_the_first_version_had_one_polygon(read):
    area = read(changed(("geoFence",), {"polygon": FENCE, "breachReturn": HOME[0], "version": 1}))
    assert area.frame.to_degrees(area.fence)[:, ::-1] == pytest.approx(np.array(FENCE), abs=1e-9)


CIRCLE = {"circle": {"center": HOME[0], "radius": "wide"}, "inclusion": False}


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("QGC WPL 110", "is no plan of QGroundControl"),
        ("[" * 100_000, "is no plan of QGroundControl"),
        ("[]", 'its fileType is not "Plan"'),
        ({"type": "FeatureCollection", "features": []}, 'its fileType is not "Plan"'),
        (changed(("geoFence",), {}), "has no GeoFence that includes the water"),
        (changed(("geoFence", "polygons", 0, "inclusion"), False), "has no GeoFence that includes the water"),
        (changed(("geoFence", "polygons", 1, "inclusion"), True), "2 polygons that could be the fence.*exclusions"),
        (changed(("geoFence", "polygons", 0, "polygon"), [["a", 8]]), r"in polygon 1 .* is no latitude and longitude"),
        (changed(("geoFence", "polygons"), {"a": 1}), "polygons of this plan are not as QGroundControl writes them"),
        (changed(("geoFence", "circles"), [CIRCLE]), "radius of GeoFence circle 1 is 'wide'"),
        (changed(("geoFence", "circles"), [4]), "circle 1 does not say whether it is an inclusion"),
        (changed(("mission", "plannedHomePosition"), [0, 0, 0]), "planned home position.*lies outside"),
        (changed(("mission",), 5), "mission of this plan is not as QGroundControl writes it"),
    ],
)
def test_what_is_no_area_is_one_sentence(read, plan, said):
    import re

    with pytest.raises(InvalidArea, match=re.compile(said, re.IGNORECASE)) as caught:
        read(plan)
    assert "lake.plan" in str(caught.value)
    assert "\n" not in str(caught.value)
