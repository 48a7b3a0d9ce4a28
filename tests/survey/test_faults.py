"""Whatever goes wrong on the water: no accepted sounding is lost, the boat stays inside, and the reason is said."""

import signal
import time

import pytest

from akrig.journal.folder import RunFolder
from akrig.survey.mailbox import await_answer, give_order
from tests.survey.harbour import degrees, harbour, under_way


def readings(found) -> int:
    return sum(event["event"] == "measurement" for event in found.events)


def begun(found):
    return lambda: readings(found) >= 8


def finished(process, found, *, seconds=150) -> int:
    try:
        return process.wait(seconds)
    except Exception:
        raise AssertionError(f"the survey did not end; the terminal says:\n{found.terminal}") from None


def check_kept(found) -> None:
    """Every reading that the model was given is an accepted sounding of the journal, once."""
    used = [event["time"] for event in found.events if event["event"] == "measurement"]
    heard = [event["time"] for event in found.events if event["event"] == "sounding"]
    assert used
    assert len(set(used)) == len(used)
    assert set(used) <= set(heard)


def test_survey_without_trouble_ends_at_home(tmp_path):
    with harbour(tmp_path, outliers=0.05, dropouts=0.1) as found, under_way(found) as process:
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert "at home" in found.notices[-1]
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)
        reasons = {event["reason"].split(" (")[0] for event in found.events if event["event"] == "rejected"}
        assert "confidence too low" in reasons


def test_passing_troubles_are_waited_out(tmp_path):
    """GPS, link and sonar are lost for a while, and a pilot takes the boat and gives it back."""
    with harbour(tmp_path, distance=500, patience=400, wind=0.5) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        for fault, said, over in (
            (("gps", "for", "25"), "position cannot be trusted", "can be trusted again"),
            (("link", "for", "50"), "No word from the boat", "heard again"),
            (("pilot", "MANUAL"), "Somebody changed the mode to MANUAL", None),
        ):
            found.fault(*fault)
            found.wait_for(lambda said=said: any(said in notice for notice in found.notices), what=said)
            if over is not None:
                found.wait_for(lambda over=over: any(over in notice for notice in found.notices), what=over)
        found.fault("pilot", "GUIDED")
        found.wait_for(lambda: any("in GUIDED again" in notice for notice in found.notices), what="GUIDED")
        found.fault("sonar", "for", "12")
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)


@pytest.mark.parametrize(("fault", "said"), [(("sonar",), "sonar was silent"), (("battery", "10"), "battery was at")])
def test_lasting_trouble_brings_the_boat_home(tmp_path, fault, said):
    with harbour(tmp_path, distance=600) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault(*fault)
        finished(process, found)
        assert found.ended.startswith("came home")
        assert said in found.ended
        assert said in found.terminal
        assert found.distance_home() < 8
        found.check_never_outside()


def test_thruster_failure_stops_the_boat(tmp_path):
    with harbour(tmp_path, wind=0.0, current=0.0) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault("thruster", "both")
        assert finished(process, found) == 3
        assert found.ended.startswith("holds")
        assert "not come nearer" in found.terminal
        found.check_never_outside()


def test_restart_waits_for_the_operator(tmp_path):
    with harbour(tmp_path, patience=400) as found, under_way(found) as process:
        found.wait_for(begun(found), what="the survey's beginning")
        found.fault("reboot")
        found.wait_for(lambda: any("restarted" in notice for notice in found.notices), what="the restart")
        time.sleep(1.0)  # 25 boat seconds, in which nothing may happen by itself
        order = give_order(RunFolder.open(found.run), "resume")
        assert await_answer(RunFolder.open(found.run), order, seconds=60).accepted
        assert finished(process, found) == 0
        assert found.ended == "budget"
        assert found.distance_home() < 8
        found.check_never_outside()
        check_kept(found)


def test_pilot_is_never_fought(tmp_path):
    with harbour(tmp_path, wind=0.0, patience=40) as found, under_way(found) as process:
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
        folder = RunFolder.open(found.run)

        def order(word, place=None):
            return await_answer(folder, give_order(folder, word, place), seconds=60)

        assert order("hold").accepted
        assert order("resume").accepted
        assert order("skip").accepted
        x, y = degrees((90, 50))
        assert order("goto", (x, y)).accepted
        refused = order("goto", tuple(degrees((55, 36))))
        assert not refused.accepted
        assert "keep-out" in refused.text
        assert order("return").accepted
        finished(process, found)
        assert found.ended == "came home: The operator called the boat home."
        assert found.distance_home() < 8
        found.check_never_outside()
        said = [event["command"] for event in found.events if event["event"] == "command"]
        assert said == ["hold", "resume", "skip", "goto", "goto", "return"]


def test_keyboard_and_full_disk_leave_the_boat_holding_and_everything_kept(tmp_path):
    with harbour(tmp_path, wind=0.5, distance=380) as found:
        with under_way(found) as process:
            found.wait_for(begun(found), what="the survey's beginning")
            process.send_signal(signal.SIGINT)
            assert finished(process, found) == 130
            assert "akrig resume" in found.terminal
            assert found.ended is None
            assert last_mode(found) == "LOITER"
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


def last_mode(found) -> str:
    return [line for line in found.truth.read_text().splitlines() if line.count(",") == 8][-1].split(",")[6]
