"""Judged by csbschema, whose authors keep the schema of IHO B-12."""

import json
from datetime import datetime

import csbschema
import numpy as np
import pytest

from akrig.errors import ConfigError
from akrig.survey.exports.csb import export
from tests.survey.exports.lakes import BEGIN, PLACES, depth_at, surveyed

WHO = '[contributor]\nname = "The Lake Club"\nemail = "chart@lake.org"\nlicense = "CC0 1.0"\nvessel = "Ente"\n'


@pytest.mark.parametrize("origin", [PLACES[0], PLACES[2]], ids=str)
def test_the_schema_is_met_and_soundings_lie_where_they_were_taken(tmp_path, origin):
    data, X = surveyed(tmp_path, origin, WHO)
    export(tmp_path / "csb.geojson", data)
    is_valid, found = csbschema.validate_data(tmp_path / "csb.geojson")
    assert is_valid, found
    soundings = json.loads((tmp_path / "csb.geojson").read_text())["features"]
    kept = [k for k in range(30) if k % 5 != 4]
    assert len(soundings) == len(kept)
    lonlat = np.array([each["geometry"]["coordinates"] for each in soundings])
    assert data.area.frame.to_metres(lonlat) == pytest.approx(X[kept], abs=0.01)
    depths = np.array([each["properties"]["depth"] for each in soundings])
    assert depths == pytest.approx(depth_at(lonlat, origin), abs=0.002)  # raw, and the transducer's 0.2 m
    times = [datetime.fromisoformat(each["properties"]["time"]).timestamp() for each in soundings]
    assert times == [BEGIN + k for k in kept]


def test_one_vessel_has_one_name(tmp_path):
    names = set()
    for folder in ("a", "b"):
        data, _ = surveyed(tmp_path / folder, PLACES[0], WHO)
        export(tmp_path / "csb.geojson", data)
        names.add(json.loads((tmp_path / "csb.geojson").read_text())["properties"]["trustedNode"]["uniqueVesselID"])
    assert len(names) == 1


def test_who_gives_them_must_be_said(tmp_path):
    data, _ = surveyed(tmp_path, PLACES[0], '[contributor]\nname = "The Lake Club"\n')
    with pytest.raises(ConfigError, match=r"contributor.email .*, contributor.license") as caught:
        export(tmp_path / "csb.geojson", data)
    assert "contributor.name" not in str(caught.value)
    assert not (tmp_path / "csb.geojson").exists()
