"""The log that a real autopilot keeps on its own card is read as what the boat sounded, where it was."""

import numpy as np

from akrig.survey.logs.log import read_log
from tests.ardupilot.sonar import bed
from tests.ardupilot.trial import surveying, trial
from tests.survey.pond import finished

LOGGING = {"LOG_BACKEND_TYPE": 1, "LOG_BITMASK": 65535}


def test_depths_in_its_log_are_those_of_the_bed_below(tmp_path):
    with trial(tmp_path, distance=320, parameters=LOGGING) as found, surveying(found) as process:
        finished(process, found)
        area = found.boat.truth.area
    (path,) = tmp_path.rglob("*.BIN")
    log = read_log(path, spacing=0.25)
    X = np.array([reading.position for reading in log.readings])
    places = area.frame.to_metres(log.frame.to_degrees(X))
    depths = np.array([reading.value for reading in log.readings])
    off = np.abs(depths - [bed(*place) for place in places])
    assert len(depths) > 500
    assert np.median(off) < 0.02
    assert off.max() < 0.2
