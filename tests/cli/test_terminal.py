"""What a person sees in a terminal of 80 columns: nothing cut, units at every number, and what is going on in words."""

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from akrig.cli import main
from akrig.cli.progress.survey import Terminal
from tests.forked import akrig

COLUMNS = 80
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
QUICK = [
    "--kernel",
    "rbf",
    "--strategy",
    "random",
    "--set",
    "scoring.grid=[10, 10]",
    "--set",
    "scoring.map_grid=[10, 10]",
]


def shown(*arguments: str, cwd: Path) -> list[str]:
    """Lines as a terminal of 80 columns has them; every state of a progress line is one."""
    look = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(COLUMNS), "LINES": "40"}
    result = akrig(*arguments, cwd=cwd, sketched=True, **look)
    assert result.returncode == 0, result.stderr
    return CODES.sub("", result.stdout + "\n" + result.stderr).replace("\r", "\n").splitlines()


def assert_whole(lines: list[str]) -> None:
    assert [line for line in lines if "…" in line or "..." in line.removesuffix(" ...")] == []
    tables = [line for line in lines if line.startswith(" ") or "left" in line]  # sentences wrap by themselves
    assert [line for line in tables if len(line.rstrip()) > COLUMNS] == []


@pytest.fixture(scope="module")
def mission(tmp_path_factory) -> tuple[Path, list[str]]:
    """A finished run, and what was shown meanwhile."""
    folder = tmp_path_factory.mktemp("terminal")
    field = ["--field", "jacksboro", "--budget", "60"]
    return folder, shown("run", *field, *QUICK, "--no-report", "--out", "run", cwd=folder)


@pytest.fixture
def run(mission, tmp_path) -> Path:
    return Path(shutil.copytree(mission[0] / "run", tmp_path / "run"))


def test_a_run_is_whole_and_has_units(mission):
    lines = mission[1]
    assert_whole(lines)
    text = "\n".join(lines)
    assert re.search(r"mapping +\d+% +\d+ readings +RMSE [\d.]+ m +[\d.]+ km +[\d:-]+ left", text)
    assert re.search(r"RMSE +[\d.]+ m +Typical size", text)
    assert re.search(r"Uncertainty +[\d.]+ m ", text)
    assert re.search(r"NLPD +[\d.]+ nats ", text)
    assert re.search(r"95 % coverage +[\d.]+ % ", text)
    assert re.search(r"took +[\d.]+ s +\d+ epochs", text)


def test_a_budget_that_is_all_pilot_says_so(tmp_path):
    lines = shown("run", "--field", "halves", "--budget", "50", *QUICK, "--no-report", "--out", "run", cwd=tmp_path)
    assert_whole(lines)
    said = [line for line in lines if "pilot survey took the whole budget" in line]
    assert said == [
        "The pilot survey took the whole budget (50 readings): nothing was planned. Raise the budget to see it plan."
    ]
    assert any(re.search(r"took .* 1 epoch$", line.rstrip()) for line in lines)


def test_a_mission_that_was_planned_says_nothing_of_the_kind(mission):
    assert "whole budget" not in "\n".join(mission[1])


def test_resuming_a_finished_run_says_so_and_changes_nothing(run):
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in run.rglob("*") if path.is_file()}
    lines = shown("resume", "run", cwd=run.parent)
    assert lines[0] == "run is finished, with 60 readings: there is nothing to go on with."
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in run.rglob("*") if path.is_file()}
    assert after == before


def test_resuming_with_a_larger_budget_goes_on(run):
    config = run / "config.toml"
    config.write_text(config.read_text().replace("readings = 60", "readings = 62"))
    lines = shown("resume", "run", "--no-report", cwd=run.parent)
    assert any(re.search(r"readings +62", line) for line in lines)


def test_a_replay_is_called_by_its_file(tmp_path):
    table = tmp_path / "old survey.csv"
    rows = [f"{x},{y},{(x - 3) ** 2 + y}" for x in range(7) for y in range(8)]
    table.write_text("\n".join(["x,y,value", *rows]) + "\n")
    lines = shown("replay", table.name, "--kernel", "rbf", "--out", "run", "--no-report", cwd=tmp_path)
    assert_whole(lines)
    assert any(line.startswith("old survey.csv: rbf, myopic") for line in lines)
    assert "none" not in "\n".join(lines)


def test_a_prepared_log_keeps_its_name(tmp_path):
    log = tmp_path / "bay.csv"
    rows = [f"{47.5 + 1e-4 * i},{9.3 + 1e-4 * j},{3 + (i - j) ** 2 / 9}" for i in range(8) for j in range(8)]
    log.write_text("\n".join(["latitude,longitude,depth", *rows]) + "\n")
    lines = shown("replay", "bay.csv", "--kernel", "rbf", "--out", "run", cwd=tmp_path)
    assert_whole(lines)
    assert any(line.startswith("bay.csv: rbf, myopic") for line in lines)
    assert "bay.csv: depth mapped with the RBF kernel" in (tmp_path / "run" / "report.html").read_text()


def test_a_report_names_its_page(run):
    assert shown("report", "run", cwd=run.parent)[0] == str(Path("run") / "report.html")


COMMANDS = sorted(main.commands)


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_whole(command, monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((COLUMNS, 40)))
    result = CliRunner().invoke(main, [*filter(None, [command]), "--help"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert [line for line in lines if line.endswith("...") and not line.startswith("Usage:")] == []
    assert command or set(COMMANDS) <= {line.split()[0] for line in lines if line.startswith("  ")}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("fields", r"jacksboro .*?\(0, 0\) to \([\d., e+]+\) m, values in m, available"),
        ("study", r"paper-benchmark +\d+ runs .* paper-$"),
    ],
)
def test_lists_fold_in_a_terminal(command, expected):
    lines = listing(command)
    assert max(map(len, lines)) <= COLUMNS
    assert_whole(lines)
    assert re.search(expected, " ".join(" ".join(lines).split()))


def listing(command: str) -> list[str]:
    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-m", "akrig", command], stdout=theirs, env=env) as process:
        os.close(theirs)
        text = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert process.returncode == 0
    return [line.rstrip() for line in CODES.sub("", text.decode()).replace("\r", "").splitlines()]


def _read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # how Linux says that the other side has closed
        return b""


def test_long_sentences_of_a_survey_are_not_cut(capsys):
    sentence = "The boat says " + "something long " * 20 + "to the end."
    Terminal(Console(width=COLUMNS, force_terminal=True, markup=False, highlight=False)).say(sentence)
    assert sentence in CODES.sub("", capsys.readouterr().out)


def test_what_happens_in_a_survey_wraps_between_words_beside_the_clock(capsys):
    sentence = (
        "The boat is at home and keeps its place there; disarm it before you lift it out, and mind the propeller."
    )
    for on_a_screen in (True, False):
        Terminal(Console(width=COLUMNS, force_terminal=on_a_screen, highlight=False)).log(sentence)
        lines = CODES.sub("", capsys.readouterr().out).splitlines()
        assert " ".join(" ".join(lines).split()) == f"0:00 {sentence}"
        assert len(lines) == (2 if on_a_screen else 1)  # a file is not wrapped: others read it by lines
        if on_a_screen:
            assert max(map(len, lines)) <= COLUMNS
            assert lines[1].startswith(" " * 9)
