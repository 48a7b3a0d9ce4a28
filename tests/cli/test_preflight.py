"""`akrig survey --check`: a table that nothing is cut from, an exit code, and nothing changed."""

import csv
import re
from contextlib import contextmanager

import pytest
from click import unstyle
from click.testing import CliRunner
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from rich.console import Console

from akrig.cli import main
from akrig.cli.survey import conclusion, findings_table
from akrig.config import read_settings
from akrig.survey.link.link import AUTOPILOT, Link
from akrig.survey.preflight import Finding, examine
from akrig.survey.settings import load_survey
from tests.forked import akrig
from tests.survey.harbour import harbour
from tests.survey.link.rig import until
from tests.survey.pond import begun, under_way, write_pond
from tests.survey.preflight.boats import ready

AS_THE_MANUAL_SAYS = ("FS_GCS_ENABLE 1", "FS_ACTION 6", "FS_TIMEOUT 5")


def shown(findings: list[Finding], *, columns: int) -> list[str]:
    console = Console(width=columns, markup=False, emoji=False, highlight=False, force_terminal=True)
    with console.capture() as capture:
        console.print(findings_table(findings))
    return unstyle(capture.get()).splitlines()


def type_lines(found, *lines: str) -> None:
    """`param set NAME VALUE`, or only name and value, as at a ground station that is on the boat's line."""
    values: dict[str, float] = {}

    def hear(message) -> None:
        if message.get_type() == "PARAM_VALUE":
            values[message.param_id] = message.param_value

    link = Link(load_survey(found.mission).survey.link.address, id=250, hear=hear)
    link.start()
    try:
        assert link.wait(lambda: link.heartbeats > 0, 30)
        for name, value in (line.split()[-2:] for line in lines):
            message = mavlink.MAVLink_param_set_message(1, AUTOPILOT, name.encode(), float(value), 9)
            until(lambda m=message, n=name, v=float(value): values.get(n) == v or link.send(m))
    finally:
        link.close()


def check(found, *options: str):
    return akrig("survey", str(found.mission), "--check", *options, cwd=found.mission.parent)


def states(found) -> set[tuple[str, str]]:
    """Mode and arming that the boat was ever in, once it was up."""
    with found.truth.open() as file:
        rows = [(row["mode"], row["armed"]) for row in csv.DictReader(file) if row.get("battery")]
    return {row for row in rows if row[0] != "INITIALIZING"}


@contextmanager
def afloat(folder, *lines: str, speedup: float = 5):
    """A boat that lies still, set up as the manual says but for these lines."""
    with harbour(folder, speedup=speedup, wind=0.0, current=0.0) as found:
        type_lines(found, *AS_THE_MANUAL_SAYS, *lines)
        yield found


def test_a_boat_that_is_ready_and_nothing_changed_on_it_or_on_the_disk(tmp_path):
    with afloat(tmp_path) as found:
        before = sorted(path.name for path in tmp_path.iterdir())
        result = check(found, "--out", str(found.run))
        assert result.returncode == 0, result.stdout + result.stderr
        assert re.search(r"^ok +FS_ACTION 6 ", result.stdout, re.MULTILINE)
        assert re.search(r"^ok +sonar +The water is \d", result.stdout, re.MULTILINE)
        assert re.search(r"^ok +place +The boat is in the area 'pond'", result.stdout, re.MULTILINE)
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        assert states(found) == {("MANUAL", "0")}


def test_what_is_dangerous_is_an_exit_code_and_its_line_puts_it_right(tmp_path):
    with afloat(tmp_path, "FS_GCS_ENABLE 0") as found:
        result = check(found)
        assert result.returncode == 1
        assert "1 danger, 0 warnings: `akrig survey` will not start." in result.stdout, result.stdout
        type_lines(found, *re.findall(r"param set \S+ \S+", result.stdout))
        assert check(found).returncode == 0


def test_a_survey_does_not_start_where_that_is_dangerous_unless_it_is_taken_on(tmp_path):
    with afloat(tmp_path, "FS_GCS_ENABLE 0", "WP_RADIUS 3", speedup=8) as found:
        refused = akrig("survey", str(found.mission), "--out", str(found.run), cwd=tmp_path)
        assert refused.returncode == 1
        assert "FS_GCS_ENABLE 0: If the link breaks or akrig stops, the boat drives on" in refused.stderr
        assert "(param set FS_GCS_ENABLE 1)" in refused.stderr
        assert 'safety.accept = ["FS_GCS_ENABLE"]' in refused.stderr
        assert states(found) == {("MANUAL", "0")}
        mission = found.mission.read_text()
        found.mission.write_text(mission.replace("accept = []", 'accept = ["FS_GCS_ENABLE"]'))
        assert check(found).returncode == 0
        with under_way(found):
            found.wait_for(begun(found), what="a survey that begins")
        assert read_settings(found.run / "config.toml").survey.safety.accept == ["FS_GCS_ENABLE"]
        told = [notice for notice in found.notices if "param set" in notice]
        assert any(notice.startswith("WP_RADIUS 3: The boat may stop 3 m from a waypoint") for notice in told)


def test_only_known_dangers_can_be_taken_on(tmp_path):
    mission = write_pond(tmp_path)
    result = CliRunner().invoke(main, ["survey", str(mission), "--check", "--set", 'safety.accept=["place"]'])
    assert result.exit_code == 1
    assert "accept" in result.output
    assert "choose from FS_GCS_ENABLE" in result.output


def test_a_simulated_boat_must_be_there_first(tmp_path):
    result = CliRunner().invoke(main, ["survey", str(write_pond(tmp_path)), "--check", "--simulate"])
    assert result.exit_code == 2
    assert "start `akrig boat` first" in result.output


def test_no_boat_is_one_sentence(tmp_path):
    mission = write_pond(tmp_path)
    result = akrig("survey", str(mission), "--check", "--set", "link.connect=0.6", cwd=tmp_path)
    assert result.returncode == 1
    assert "No boat was heard at udpin:127.0.0.1:" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_table_folds_and_nothing_is_cut(columns):
    findings = examine(ready(FS_ACTION=2, MAV_GCS_SYSID=252, RNGFND1_MAX=7, FENCE_ENABLE=1, FENCE_ACTION=1))
    lines = shown(findings, columns=columns)
    assert max(map(len, lines)) <= columns
    words = " ".join(lines).split()
    assert "…" not in "".join(words)
    for finding in findings:
        assert any(finding.title in line for line in lines)
        assert set(finding.sentence.split()) <= set(words)
        for typed in finding.remedy:
            if typed.startswith("param") or columns >= 80:
                assert any(line.endswith(typed) or f"{typed} " in line for line in lines), typed


def test_what_is_dangerous_stands_last():
    lines = shown(examine(ready(FS_GCS_ENABLE=0, FS_ACTION=2)), columns=200)
    first = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert first == sorted(first, key=["ok", "note", "warning", "DANGER"].index)
    assert first[-1] == "DANGER"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "All is well."),
        ({"FS_ACTION": 2}, "Nothing dangerous, 1 warning."),
        ({"FS_ACTION": 2, "WP_RADIUS": 9}, "Nothing dangerous, 2 warnings."),
        ({"FS_ACTION": 0}, "1 danger, 0 warnings: `akrig survey` will not start."),
        ({"FS_ACTION": 0, "FS_GCS_ENABLE": 0}, "2 dangers, 0 warnings: `akrig survey` will not start."),
    ],
)
def test_the_verdict(changes, says):
    assert conclusion(examine(ready(**changes))) == says
