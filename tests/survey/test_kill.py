"""A survey killed again and again, wherever it was, goes on with every sounding, stays inside, and comes home."""

import random

from akrig.journal.events import read_journal
from tests.runs.apart import killed_after
from tests.survey.harbour import harbour
from tests.survey.pond import check_kept, prepared

KILLS = 20


def whole_lines(path) -> bytes:
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


def test_survey_killed_at_random_instants_loses_nothing(tmp_path):
    instants, written = random.Random(5), b""
    # Slow enough for the survey not to be over before the last kill, however fast the computer is.
    with harbour(tmp_path, distance=380, speedup=18, patience=300) as found:
        folder = prepared(found)
        kills = 0
        while kills < KILLS:
            outcome = killed_after(instants.uniform(0.2, 1.5), folder, "survey")
            assert outcome == "killed", f"it {outcome} after {kills} kills: {found.notices[-3:]}"
            kills += 1
            now = whole_lines(folder.journal)
            assert now.startswith(written), "what was written before is gone or changed"
            written = now
        assert killed_after(240, folder, "survey") == "ended 0"
        assert whole_lines(folder.journal).startswith(written)
        events = read_journal(folder.journal).events
        check_kept(found)
        used = [event["sounding"] for event in events if event["event"] == "measurement"]
        assert len(used) > 50
        epochs = [event for event in events if event["event"] == "epoch"]
        assert epochs[-1]["readings"] == len(used)
        assert [event["index"] for event in epochs] == list(range(len(epochs)))
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
