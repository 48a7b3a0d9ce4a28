"""Against QGroundControl's documented format, as MAVSDK reads it, and as akrig reads areas."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from akrig.survey.area import read_area
from akrig.survey.exports.plan import export
from tests.survey.boat.running import free_port
from tests.survey.exports.lakes import PLACES, surveyed

NUMBER, PLACE = {"type": "number"}, {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


def required(**properties):
    properties = {name: {"const": each} if isinstance(each, str | int) else each for name, each in properties.items()}
    return {"type": "object", "required": list(properties), "properties": properties}


def listed(items, least=0):
    return {"type": "array", "items": items, "minItems": least}


# What the developers' guide of QGroundControl says of the format: the keys that it calls required, and their kinds.
ITEM = required(
    type="SimpleItem", AMSLAltAboveTerrain={"type": ["number", "null"]}, Altitude=NUMBER, AltitudeMode=NUMBER,
    autoContinue={"type": "boolean"}, command={"type": "integer"}, doJumpId={"type": "integer"},
    frame={"type": "integer"},
    params={"type": "array", "items": {"type": ["number", "null"]}, "minItems": 7, "maxItems": 7},
)  # fmt: skip
POLYGON = required(version=1, inclusion={"type": "boolean"}, polygon=listed(PLACE, least=3))
SCHEMA = required(
    fileType="Plan", version=1, groundStation={"type": "string"},
    mission=required(
        version=2, firmwareType={"type": "integer"}, vehicleType={"type": "integer"},
        globalPlanAltitudeMode={"type": "integer"}, cruiseSpeed=NUMBER, hoverSpeed=NUMBER,
        plannedHomePosition={**PLACE, "minItems": 3, "maxItems": 3}, items=listed(ITEM, least=1),
    ),
    geoFence=required(version=2, circles=listed({}), polygons=listed(POLYGON)),
    rallyPoints=required(version=2, points=listed({})),
)  # fmt: skip


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[2], PLACES[4]], ids=str)
def test_it_is_as_documented_and_leads_back_to_the_area(tmp_path, origin):
    data, X = surveyed(tmp_path, origin)
    export(tmp_path / "survey.plan", data)
    plan = json.loads((tmp_path / "survey.plan").read_text())
    assert not list(Draft202012Validator(SCHEMA).iter_errors(plan))
    again = read_area(tmp_path / "survey.plan")
    assert again.home == pytest.approx(data.area.home, abs=0.01)
    for ring, drawn in zip((again.fence, *again.keep_outs), (data.area.fence, *data.area.keep_outs), strict=True):
        assert np.abs(ring[:, None] - drawn).max(axis=2).min(axis=0).max() < 0.01
    latlon = np.array([item["params"][4:6] for item in plan["mission"]["items"]], dtype=float)
    assert data.area.frame.to_metres(latlon[:, ::-1]) == pytest.approx(X[[0, 15, 29]], abs=0.01)


def test_mavsdk_reads_it_for_a_boat(tmp_path):
    pytest.importorskip("mavsdk", reason="needs MAVSDK: pip install mavsdk")
    data, X = surveyed(tmp_path, PLACES[0])
    export(tmp_path / "survey.plan", data)
    reader = [sys.executable, str(Path(__file__).parent / "mavsdk_reader.py"), str(free_port())]
    done = subprocess.run([*reader, str(tmp_path / "survey.plan")], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))

    def metres(items):
        return data.area.frame.to_metres(np.array([[y, x] for *_, x, y in items]) * 1e-7)

    first = np.array([data.area.home])  # item 0 of an ArduPilot mission is home
    assert metres(found["mission"]) == pytest.approx(np.vstack([first, X[[0, 15, 29]]]), abs=0.02)
    assert {item[0] for item in found["mission"]} == {16}  # go to the waypoint
    fence, keep_out = (np.array([item[0] == kind for item in found["geofence"]]) for kind in (5001, 5002))
    corners = metres(found["geofence"])
    for chosen, ring in ((fence, data.area.fence), (keep_out, data.area.keep_outs[0])):
        assert np.abs(corners[chosen][:, None] - ring).max(axis=2).min(axis=0).max() < 0.02
