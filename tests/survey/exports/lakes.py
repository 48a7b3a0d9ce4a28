"""The same lake at several places of the Earth, with a bed that is a formula."""

import json

import numpy as np

from akrig.config import read_settings
from akrig.frame import LocalFrame
from akrig.journal.events import to_line
from akrig.survey.area import area_from
from akrig.survey.exports.data import SurveyData
from akrig.survey.folders import create_survey
from akrig.survey.settings import load_survey
from akrig.types import Prediction, Samples

BEGIN = 1_750_000_000.0  # seconds since 1970

RING = np.array([[-60.0, -40], [60, -40], [60, 40], [10, 40], [0, 10], [-10, 40], [-60, 40]])
ISLAND = np.array([[20.0, -10], [35, -10], [35, 5], [20, 5]])
# Middle of a zone, a zone border, the date line from both sides, south, far north, beyond UTM.
PLACES = [(8.55, 47.28), (6.0, 59.9), (179.9999, -16.8), (-180.0, 52.0), (-68.3, -54.8), (15.6, 78.2), (-40.0, 84.5)]


def lake(origin):
    frame = LocalFrame(*origin)
    fence, island = (frame.to_degrees(ring).tolist() for ring in (RING, ISLAND))
    return area_from("lake", fence, [island], frame.to_degrees(np.array([[-50.0, 0.0]]))[0].tolist())


def depth_at(lonlat, origin):
    """In degrees, so that a place that is off shows: 0.1 m changes the depth by a centimetre, everywhere."""
    X = LocalFrame(*origin).to_metres(np.asarray(lonlat, dtype=np.float64))
    return 10 + 0.1 * X[:, 0] + 0.07 * X[:, 1]


def bed(area, origin):
    def predict(X):
        mean = depth_at(area.frame.to_degrees(X), origin)
        return Prediction(mean, (0.01 * mean) ** 2)

    return predict


class KnownBed:
    """A model that knows the bed."""

    def __init__(self, area, origin):
        self.samples = Samples(np.empty((0, 2)), np.empty(0))
        self.predict = self.latent = bed(area, origin)

    def observe(self, samples):
        raise AssertionError("An export observes nothing.")

    def fit(self, steps):
        raise AssertionError("An export does not train.")


def surveyed(folder, origin, more=""):
    """A small survey of the lake as its folder tells, and the positions of its soundings in metres.

    Every fifth sounding is rejected, one has no position; the boat is heard, lost for a minute, and heard.
    """
    area = lake(origin)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = area.as_dict()
    ring, island = ([*corners, corners[0]] for corners in (drawn["fence"], drawn["keep_outs"][0]))
    features = [
        {"type": "Feature", "properties": {"role": role}, "geometry": {"type": kind, "coordinates": coordinates}}
        for role, kind, coordinates in (
            ("fence", "Polygon", [ring]),
            ("keep-out", "Polygon", [island]),
            ("home", "Point", drawn["home"]),
        )
    ]
    (folder / "lake.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    mission = folder / "lake.toml"
    mission.write_text(
        f'area = "lake.geojson"\ncell = 2.0\n[budget]\ndistance = 900\n[depth]\ntransducer = 0.2\n{more}'
    )
    run = create_survey(load_survey(mission), folder / "run")
    X = np.column_stack([np.linspace(-50, -15, 30), np.linspace(-30, 30, 30)])
    run.journal.write_text("".join(map(to_line, _events(X, area, origin))))
    states = [{"unix": BEGIN + k + 60 * (k > 15), "x": x, "y": y} for k, (x, y) in enumerate(X.tolist())]
    run.telemetry.write_text("".join(json.dumps(state) + "\n" for state in states))
    data = SurveyData(read_settings(run.config), folder=run, model=KnownBed(area, origin))
    return data, X


def _events(X, area, origin):
    depth = depth_at(area.frame.to_degrees(X), origin)
    events = [{"event": "mission", "format": 1, "akrig": "0"}, {"event": "plan", "waypoints": X[[0, 15, 29]].tolist()}]
    for k, (place, value) in enumerate(zip(X.tolist(), depth.tolist(), strict=True)):
        when = {"time": float(k), "unix": BEGIN + k, "position": place if k != 4 else None}
        if k % 5 == 4:
            events.append({"event": "rejected", **when, "raw": value + 5, "reason": "a jump of 5 m"})
            continue
        events.append({"event": "sounding", **when, "value": value, "raw": value - 0.2})
        if k % 2:
            events.append({"event": "measurement", "time": float(k), "position": place, "value": value})
    return events
