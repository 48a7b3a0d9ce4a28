"""The command line as a person meets it: in a process of its own, in a folder of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from akrig.journal.events import read_journal, to_line
from tests.forked import Forked, akrig

QUICK = ["--field", "halves", "--kernel", "rbf", "--strategy", "random", "--budget", "60"]
SMALL = ["--set", "scoring.grid=[12, 12]", "--set", "scoring.map_grid=[16, 16]"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A small mission, with its report."""
    folder = tmp_path_factory.mktemp("finished")
    options = ["--field", "ridges", "--strategy", "myopic", "--budget", "130", *SMALL]
    result = akrig("run", *options, "--out", "run", cwd=folder)
    assert result.returncode == 0, result.stderr
    (folder / "said.txt").write_text(result.stdout)
    return folder


def test_help_and_version_are_light(tmp_path):
    heavy = "torch gpytorch numba scipy matplotlib numpy rich xarray pydantic rasterio"
    code = (
        "import sys; from click.testing import CliRunner; from akrig.cli import main\n"
        "result = CliRunner().invoke(main, ['--help'])\n"
        "assert result.exit_code == 0 and 'demo' in result.output, result.output\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
    assert "0." in akrig("--version", cwd=tmp_path).stdout


def test_a_mission_leaves_everything_in_its_folder(finished):
    run = finished / "run"
    said = (finished / "said.txt").read_text()
    assert "Open run/report.html" in said
    assert "RMSE" in said
    names = {path.name for path in run.iterdir()}
    assert {"config.toml", "journal.jsonl", "scores.csv", "map.nc", "report.html", "figures", "checkpoint"} <= names
    assert {"maps.png", "curves.png", "calibration.png", "attention.png", "mission.gif"} <= {
        path.name for path in (run / "figures").iterdir()
    }
    maps = xr.load_dataset(run / "map.nc")
    assert {"mean", "std", "truth", "error", "lengthscale", "weights", "memberships"} <= set(maps)
    assert maps["mean"].dims == ("y", "x")
    assert np.allclose(maps["error"], np.abs(maps["mean"] - maps["truth"]))
    assert not list(run.rglob("*.part"))


def test_figures_and_report_can_be_drawn_again(finished, tmp_path):
    result = akrig("plot", str(finished / "run"), "--out", "pictures", cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    assert sorted(Path(line).name for line in result.stdout.split()) == sorted(
        path.name for path in (tmp_path / "pictures").iterdir()
    )
    twice = [str(finished / "run"), str(finished / "run")]
    result = akrig("report", *twice, "--out", "page.html", cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    assert "<html" in (tmp_path / "page.html").read_text()


def test_the_toml_file_has_the_options_words(tmp_path):
    (tmp_path / "mission.toml").write_text(
        'field = "halves"\nkernel = "rbf"\nstrategy = "random"\nbudget = 60\nseed = 5\n'
        "[scoring]\ngrid = [12, 12]\nmap_grid = [16, 16]\n"
    )
    by_file = akrig("run", "mission.toml", "--out", "a", "--no-report", cwd=tmp_path)
    by_options = akrig("run", *QUICK, *SMALL, "--seed", "5", "--out", "b", "--no-report", cwd=tmp_path)
    assert (by_file.returncode, by_options.returncode) == (0, 0), by_file.stderr + by_options.stderr
    assert (tmp_path / "a" / "journal.jsonl").read_bytes() == (tmp_path / "b" / "journal.jsonl").read_bytes()
    again = akrig("run", "a/config.toml", "--out", "c", "--no-report", cwd=tmp_path)  # the resolved settings
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "a" / "journal.jsonl").read_bytes() == (tmp_path / "c" / "journal.jsonl").read_bytes()


def test_ctrl_c_stops_cleanly_and_says_how_to_resume(tmp_path):
    options = ["--field", "halves", "--strategy", "active", "--budget", "900", *SMALL, "--no-report", "--out", "run"]
    said, warned = tmp_path / "said", tmp_path / "warned"
    process = Forked("run", *options, cwd=tmp_path, out=said, err=warned)
    journal = tmp_path / "run" / "journal.jsonl"
    while not journal.exists() or len(read_journal(journal).events) < 80:
        assert process.poll() is None, warned.read_text()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    out, err = said.read_text(), warned.read_text()
    assert "akrig resume run" in out
    assert "Stopping after this epoch" in err
    assert "Traceback" not in err
    events = read_journal(journal).events
    assert events[-1]["event"] == "epoch"
    assert len(events) < 900


def test_replaying_gives_recorded_readings_to_another_kernel(finished, tmp_path):
    result = akrig("replay", str(finished / "run"), "--kernel", "matern", "--out", "other", "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr

    def readings(path):
        events = read_journal(path / "journal.jsonl").events
        return [(event["position"], event["value"]) for event in events if event["event"] == "measurement"]

    assert readings(tmp_path / "other") == readings(finished / "run")
    assert 'name = "matern"' in (tmp_path / "other" / "config.toml").read_text()


def test_replaying_a_table_of_readings_needs_no_truth(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 50, (80, 2))
    rows = [f"{x},{y},{np.sin(x / 5)}" for x, y in X]
    (tmp_path / "log.csv").write_text("\n".join(["x,y,value", *rows]))
    result = akrig("replay", "log.csv", "--kernel", "rbf", "--out", "run", *SMALL, cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    assert "Uncertainty" in result.stdout
    assert "RMSE" not in result.stdout
    assert set(xr.load_dataset(tmp_path / "run" / "map.nc")) == {"mean", "std", "latent_std"}
    assert (tmp_path / "run" / "report.html").exists()


def test_fields_are_listed(tmp_path):
    result = akrig("fields", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for name in ("jacksboro", "topobathy", "ridges", "lake", "river", "halves", "N17E073", "helens"):
        assert name in result.stdout


def test_the_demonstration_compares_two_kernels(tmp_path):
    result = akrig("demo", "--out", "pictures", "--budget", "100", cwd=tmp_path, sketched=True)
    assert result.returncode == 0, result.stderr
    assert "Open pictures/report.html" in result.stdout
    assert " ".join(result.stdout.split()).count("Compared with the RBF kernel, the attentive kernel") == 1
    page = (tmp_path / "pictures" / "report.html").read_text()
    assert "attentive" in page
    assert "rbf" in page.lower()


def test_the_step_function_is_drawn(tmp_path):
    result = akrig("step", "--out", "pictures", "--steps", "20", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    figure = tmp_path / "pictures" / "step.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "pictures/step.png" in result.stdout
    assert [path.name for path in figure.parent.iterdir()] == ["step.png"]


def _changed(line: str, **changes) -> str:
    event = json.loads(line)
    event.pop("crc")
    return to_line({**event, **changes})


BROKEN = {
    "a damaged middle": lambda lines: [*lines[:20], lines[20].replace("measurement", "measuremant"), *lines[21:]],
    "a newer version": lambda lines: [_changed(lines[0], format=99), *lines[1:]],
}


@pytest.mark.parametrize(
    ("damage", "said"), [("a damaged middle", "line 21 is damaged"), ("a newer version", "install the newer akrig")]
)
def test_a_broken_journal_is_one_clear_sentence(damage, said, finished, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    for name in ("config.toml", "scores.csv"):
        (run / name).write_bytes((finished / "run" / name).read_bytes())
    lines = (finished / "run" / "journal.jsonl").read_text().splitlines(keepends=True)
    (run / "journal.jsonl").write_text("".join(BROKEN[damage](lines)))
    before = (run / "journal.jsonl").read_bytes()
    for command in (["resume", "run"], ["report", "run"]):
        result = akrig(*command, cwd=tmp_path)
        assert result.returncode == 1
        assert said in result.stderr
        assert "Traceback" not in result.stderr
    assert (run / "journal.jsonl").read_bytes() == before


def test_a_torn_last_line_is_dropped_and_reported(finished, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.toml").write_bytes((finished / "run" / "config.toml").read_bytes())
    whole = (finished / "run" / "journal.jsonl").read_bytes()
    (run / "journal.jsonl").write_bytes(whole[:-80])
    result = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "last line was cut off" in result.stderr
    assert (run / "journal.jsonl").read_bytes() == whole


def test_a_folder_in_use_is_refused(tmp_path):
    options = ["--field", "halves", "--strategy", "active", "--budget", "900", "--no-report", "--out", "run"]
    process = Forked("run", *options, cwd=tmp_path, out=tmp_path / "said")
    while not (tmp_path / "run" / "journal.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.01)
    result = akrig("resume", "run", cwd=tmp_path)
    process.kill()
    process.wait()
    assert result.returncode == 1
    assert "run is in use by another mission" in result.stderr


def test_a_full_disk_stops_the_mission_and_resuming_ends_it(tmp_path):
    """No file may grow beyond 12 kB, as if the disk were full; then there is room again."""
    arguments = ["run", *QUICK, "--set", "scoring.snapshots=0", "--set", "scoring.every=1000", "--out", "run"]
    full = akrig(*arguments, cwd=tmp_path, room=12_000)
    assert full.returncode == 1
    assert "could not be written (File too large); all that was written before is safe" in full.stderr
    assert "akrig resume run" in full.stderr
    assert "Traceback" not in full.stderr
    assert read_journal(tmp_path / "run" / "journal.jsonl").torn == 0
    resumed = akrig("resume", "run", "--no-report", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    whole = akrig(*arguments[:-1], "whole", "--no-report", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    journals = [(tmp_path / name / "journal.jsonl").read_text().splitlines() for name in ("run", "whole")]
    without_faults = [line for line in journals[0] if '"fault"' not in line]
    assert without_faults == journals[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["demos"], "No such command 'demos'"),
        (["step", "--steps", "0"], "--steps"),
        (["demo", "--seed", "-1"], "--seed"),
        (["step", "--out", "a_file/inside"], "a_file"),
        (["step", "--out", "a_file"], "a_file"),
        (["run", "--field", "jaksboro"], "did you mean 'jacksboro'?"),
        (["run", "--field", "missing.tif"], "missing.tif"),
        (["run", "--field", "a_file.tif"], "a_file.tif"),
        (["run", "--kernel", "rbff"], "did you mean 'rbf'?"),
        (["run", "--kernel", "nolab.kernels:Mine"], "cannot be imported"),
        (["run", "--budget", "20"], "or so of the pilot survey"),
        (["run", "--preset", "best"], "preset"),
        (["run", "--set", "kernel"], "is not KEY=VALUE"),
        (["run", "--set", "sensor.noise=1"], "did you mean 'noise_std'?"),
        (["run", "--out", "there"], "there exists already"),
        (["run", *QUICK, "--out", "a_file/run"], "a_file/run cannot be made"),
        (["run", "bad.toml"], "has 2 problems"),
        (["resume", "there"], "it has no config.toml"),
        (["resume", "nowhere"], "nowhere is not a folder"),
        (["report", "there"], "it has no config.toml"),
        (["replay", "a_file", "--out", "x"], "has no column x or y or value"),
        (["fields", "--fetch", "N17"], "N17"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments, said, tmp_path):
    (tmp_path / "a_file").write_text("in the way")
    (tmp_path / "a_file.tif").write_text("in the way")
    (tmp_path / "bad.toml").write_text('kernel = "rfb"\nbudgets = 3\n')
    (tmp_path / "there").mkdir()
    before = sorted(path.name for path in tmp_path.iterdir())
    result = akrig(*arguments, cwd=tmp_path)
    assert result.returncode != 0
    assert said in result.stderr, result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "a_file").read_text() == "in the way"
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # nothing half-made


def test_a_kernel_of_the_users_that_returns_nan_is_one_clear_sentence(tmp_path):
    (tmp_path / "mylab.py").write_text(
        "from gpytorch.kernels import RBFKernel\n"
        "class Broken(RBFKernel):\n"
        "    def forward(self, x1, x2, **params):\n"
        "        return super().forward(x1, x2, **params) * float('nan')\n"
    )
    result = akrig("run", *QUICK[:2], "--kernel", "mylab:Broken", "--out", "run", cwd=tmp_path)
    assert result.returncode == 1
    assert "NaN" in result.stderr
    assert "Traceback" not in result.stderr
    events = read_journal(tmp_path / "run" / "journal.jsonl").events
    assert events[-1]["event"] == "fault"
    assert sum(event["event"] == "measurement" for event in events) > 40  # the pilot's readings are kept


def test_a_planner_that_leaves_the_workspace_is_one_clear_sentence(tmp_path):
    (tmp_path / "mylab.py").write_text(
        "import numpy as np\nfrom akrig.types import Plan\n"
        "class Far:\n    def plan(self, belief, situation, rng):\n        return Plan(np.full((1, 2), 1e9))\n"
    )
    result = akrig("run", *QUICK[:4], "--strategy", "mylab:Far", "--out", "run", cwd=tmp_path)
    assert result.returncode == 1
    assert "Far planned [1000000000.0, 1000000000.0], outside the workspace" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["step", "--out", "{}/step"], ["run", *QUICK, "--out", "{}/run"]])
def test_a_folder_that_is_not_writable_is_one_clear_sentence(arguments, tmp_path):
    closed = Path("/sys") if os.geteuid() == 0 else tmp_path  # where not even root may write
    tmp_path.chmod(0o500)
    result = akrig(*(argument.format(closed) for argument in arguments), cwd=Path("/"))
    tmp_path.chmod(0o700)
    assert result.returncode == 1
    assert str(closed) in result.stderr
    assert "not permitted" in result.stderr or "ermission denied" in result.stderr
    assert "Traceback" not in result.stderr
