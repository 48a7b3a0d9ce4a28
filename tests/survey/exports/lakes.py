"""The same lake at several places of the Earth, with a bed that is a formula."""

import numpy as np

from akrig.frame import LocalFrame
from akrig.survey.area import area_from
from akrig.types import Prediction

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
