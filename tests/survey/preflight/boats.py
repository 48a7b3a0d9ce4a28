"""Facts of a boat that is set up as docs/field.md says, to be spoilt."""

from typing import Any

import numpy as np

from akrig.config.survey import SurveySettings
from akrig.frame import LocalFrame
from akrig.survey.area import Area
from akrig.survey.link import Sounding
from akrig.survey.preflight import Facts, Finding, examine

SQUARE = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [0.0, 100.0]])
BAY = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [60.0, 40.0], [0.0, 100.0]])
ISLAND = np.array([[40.0, 40.0], [60.0, 40.0], [60.0, 60.0], [40.0, 60.0]])

PARAMETERS = {
    "FRAME_CLASS": 2.0,
    "FS_GCS_ENABLE": 1.0,
    "FS_ACTION": 6.0,
    "FS_TIMEOUT": 5.0,
    "FS_GCS_TIMEOUT": 5.0,
    "MAV_GCS_SYSID": 255.0,
    "ARMING_SKIPCHK": 0.0,
    "FENCE_ENABLE": 0.0,
    "AVOID_ENABLE": 3.0,
    "BATT_MONITOR": 4.0,
    "BATT_LOW_VOLT": 14.0,
    "BATT_FS_LOW_ACT": 6.0,
    "WP_RADIUS": 2.0,
    "WP_SPEED": 1.5,
    "RNGFND1_TYPE": 23.0,
    "RNGFND1_ORIENT": 25.0,
    "RNGFND1_MAX": 100.0,
}


def lake(*keep_outs: np.ndarray, fence: np.ndarray = SQUARE) -> Area:
    return Area(LocalFrame(8.5, 47.3), fence, keep_outs, (20.0, 20.0))


def ready(**changes: Any) -> Facts:
    """Args:
    changes: of the facts; parameters by their names, `None` where the boat has none.
    """
    if changes.get("version") is not None and changes["version"] < (4, 7, 0):
        changes = {"MAV_GCS_SYSID": None, "SYSID_MYGCS": 255, **changes}
    given = {**PARAMETERS, **{name: changes.pop(name) for name in list(changes) if name.isupper()}}
    parameters = {name: float(value) for name, value in given.items() if value is not None}
    known = {
        "survey": SurveySettings(),
        "area": lake(ISLAND),
        "speed": 1.5,
        "vehicle": "surface boat",
        "version": (4, 8, 0),
        "parameters": parameters,
        "mode": "MANUAL",
        "can_be_armed": True,
        "place": (20.0, 20.0),
        "hdop": 0.8,
        "satellites": 14,
        "sounding": Sounding(0.0, (20.0, 20.0), 4.87, 4.87),
        "battery": 0.93,
        "voltage": 15.9,
        "low_voltage": 14.0,
        "room": 20_000_000_000,
    }
    return Facts(**{**known, **changes})


def survey(**sections: Any) -> SurveySettings:
    return SurveySettings.model_validate(sections)


def found(facts: Facts, name: str) -> Finding:
    """The one finding of this name."""
    (finding,) = [each for each in examine(facts) if each.name == name]
    return finding
