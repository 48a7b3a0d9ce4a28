"""People on the water: pilots who take over, operators who give orders, and whoever presses Ctrl-C."""

import signal
import time

from tests.survey.harbour import harbour, last_mode
from tests.survey.pond import begun, check_kept, degrees, finished, under_way


def test_restart_waits_for_the_operator(tmp_path):
    with harbour(tmp_path, patience=400) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault("reboot")
        found.wait_for(lambda: any("restarted" in notice for notice in found.notices), what="the restart")
        time.sleep(0.6)  # 24 boat seconds, in which nothing may happen by itself
        assert found.order("resume").accepted
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)


def test_pilot_is_never_fought(tmp_path):
    with harbour(tmp_path, failsafe=False, wind=0.0, patience=40) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault("pilot", "MANUAL")
        assert finished(process, found) == 3
        assert "Somebody changed the mode to MANUAL" in found.ended
        modes = [line.split(",")[6] for line in found.truth.read_text().splitlines()[1:] if line.count(",") == 8]
        after = modes[modes.index("MANUAL", modes.index("GUIDED")) :]
        assert set(after) == {"MANUAL"}


def test_operator_holds_goes_elsewhere_skips_and_returns(tmp_path):
    with harbour(tmp_path, distance=600, patience=400) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        assert found.order("hold").accepted
        assert found.order("resume").accepted
        assert found.order("skip").accepted
        assert found.order("goto", degrees((90, 50))).accepted
        refused = found.order("goto", degrees((55, 36)))
        assert not refused.accepted
        assert "keep-out" in refused.text
        assert found.order("return").accepted
        finished(process, found)
        assert found.ended == "came home: The operator called the boat home."
        assert found.distance_home() < 8
        found.check_never_outside()
        said = [event["command"] for event in found.events if event["event"] == "command"]
        assert said == ["hold", "resume", "skip", "goto", "goto", "return"]


def check_stopped_by(number, process, found):
    """Under way, it is told to stop: the boat holds its place, and the survey can go on later."""
    found.wait_for(begun(found), what="the survey's beginning")
    process.send_signal(number)
    assert finished(process, found) == 130
    assert "akrig resume" in found.terminal
    assert found.ended is None
    assert last_mode(found) == "LOITER"


def test_a_service_that_is_stopped_leaves_the_boat_holding(tmp_path):
    with harbour(tmp_path, failsafe=False, wind=0.5) as found, under_way(found) as process:
        check_stopped_by(signal.SIGTERM, process, found)
        check_kept(found)


def test_keyboard_and_full_disk_leave_the_boat_holding_and_everything_kept(tmp_path):
    with harbour(tmp_path, failsafe=False, wind=0.5) as found:
        with under_way(found) as process:
            check_stopped_by(signal.SIGINT, process, found)
        written = (found.run / "journal.jsonl").read_bytes()
        with under_way(found, resume=True, room=len(written) + 30_000) as process:
            assert finished(process, found) == 1
            assert "could not be written" in found.terminal
            assert "Traceback" not in found.terminal
            assert last_mode(found) == "LOITER"
        assert (found.run / "journal.jsonl").read_bytes().startswith(written)
        with under_way(found, resume=True) as process:
            assert finished(process, found) == 0
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)
        written = (found.run / "journal.jsonl").read_bytes()
        (found.run / "results" / "map.tif").unlink()
        with under_way(found, resume=True) as process:
            assert finished(process, found) == 0
        assert "the boat is left alone" in found.terminal
        assert (found.run / "journal.jsonl").read_bytes() == written
        assert (found.run / "results" / "map.tif").exists()
