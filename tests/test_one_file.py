"""A part of one's own is one file: docs/extending.md shows each; here they are run, studied, reported and viewed."""

import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gpytorch.kernels import RBFKernel

from akrig import parts
from akrig.cli import main
from akrig.cli.run import _choices
from akrig.config import build_mission, load_settings, resolve
from akrig.errors import ConfigError
from akrig.journal.folder import RunFolder
from akrig.journal.record import read_record
from akrig.live.run_info import read_run_info
from akrig.plots.formatting import kernel_words
from akrig.plots.report import write_report
from akrig.plots.style import kernel_marks
from akrig.runs import MissionWatcher, create_run, run_mission

DOCUMENT = Path(__file__).parent.parent / "docs" / "extending.md"
FILE = re.compile(r"^```python\n# (\w+)\.py\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILES = dict(FILE.findall(DOCUMENT.read_text()))
TABLE = re.compile(r"^\| (\w+)[\w ]* \| `(\w+:\w+)` \|.*\| 1 \| 1 and its entry \|", re.MULTILINE)
SECTIONS = {"planner": "strategy"}  # where a part's word in settings is another than people's
SHOWN = {SECTIONS.get(kind, kind): name for kind, name in TABLE.findall(DOCUMENT.read_text())}
FUNCTIONS = {kind: name for kind, name in SHOWN.items() if kind in ("metric", "figure", "report")}
TOYS = {section: name for section, name in SHOWN.items() if section not in FUNCTIONS}  # parts of a mission
SMALL = {
    "field": "halves",
    "kernel": "rbf",
    "strategy": "random",
    "vehicle": "teleport",
    "budget": 24,
    "pilot": {"readings": 20},
    "scoring": {"every": 1, "grid": [8, 8], "map_grid": [9, 9], "snapshots": 2},
}


def label(toy: str) -> str:
    return toy.partition(":")[2]


def with_toy(section: str) -> dict:
    given = SMALL.get(section)
    return {**SMALL, section: {**(given if isinstance(given, dict) else {}), "name": TOYS[section]}}


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder with nothing but the one file of each toy."""
    for module, code in FILES.items():
        (tmp_path / f"{module}.py").write_text(code)
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for module in FILES:
        sys.modules.pop(module, None)


def text_of(page: Path) -> str:
    """Without markup, images and the settings that a report repeats."""
    html = re.sub(r"<details.*?</details>|<style.*?</style>|<img[^>]*>", " ", page.read_text(), flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", " ", html))


def test_there_is_one_of_each_kind():
    assert TOYS.keys() == {"kernel", "model", "strategy", "pilot", "vehicle", "sensor", "field"}
    assert FUNCTIONS.keys() == {"metric", "figure", "report"}


@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("section", TOYS)
def test_one_file_is_run_reported_and_viewed(section, lab):
    folder = create_run(load_settings(None, with_toy(section)), lab / "run")
    assert run_mission(folder) == "budget"
    name, record = label(TOYS[section]), read_record(folder.path)
    assert len(record.samples) >= 24
    assert np.isfinite(record.scores["rmse"]).all()
    write_report([record], lab / "report.html")
    assert re.search(rf"\b{name}\b", text_of(lab / "report.html"))
    assert TOYS[section] not in text_of(lab / "report.html")
    page = read_run_info(folder).for_page(RunFolder.open(folder.path))
    assert page[section] == name


@pytest.mark.usefixtures("sketched")
def test_a_metric_and_a_figure_are_in_the_report_and_the_metric_on_the_page(lab):
    scoring = {**SMALL["scoring"], "metrics": [FUNCTIONS["metric"]]}
    folder = create_run(load_settings(None, {**SMALL, "scoring": scoring}), lab / "run")
    run_mission(folder)
    assert (read_record(folder.path).scores["worst_error"] > 0).all()
    for module in FILES:
        sys.modules.pop(module, None)
    result = CliRunner().invoke(main, ["report", "run", "--figure", FUNCTIONS["figure"]])
    assert result.exit_code == 0, result.output
    assert "Worst error" in text_of(folder.report)
    assert "How often each value was read." in text_of(folder.report)
    charts = read_run_info(folder).for_page(RunFolder.open(folder.path))["charts"]
    assert "Worst error" in [chart["title"] for chart in charts]
    assert "worst" not in sys.modules  # who only looks runs nothing that the folder names


@pytest.mark.usefixtures("sketched")
def test_a_metric_and_a_report_are_a_studys(lab):
    base = 'field = "halves"\nkernel = "rbf"\nstrategy = "random"\nvehicle = "teleport"\nbudget = 24\n'
    base += (
        f'pilot.readings = 20\nscoring = {{ grid = [8, 8], map_grid = [9, 9], metrics = ["{FUNCTIONS["metric"]}"] }}\n'
    )
    for name, report in {"mine": FUNCTIONS["report"], "table": "benchmark"}.items():
        (lab / f"{name}.toml").write_text(f'title = "Toys"\nreport = "{report}"\n[base]\n{base}')
        result = CliRunner().invoke(main, ["study", f"{name}.toml", "--out", name, "--workers", "1"])
        assert result.exit_code == 0, result.output
        assert FUNCTIONS["metric"] in result.stderr
    assert len((lab / "mine" / "tally.txt").read_text().split()) == 2
    assert "Worst error" in text_of(lab / "table" / "report.html")


@pytest.mark.usefixtures("sketched")
def test_each_is_a_row_of_a_study(lab):
    pairs = {**SMALL, "model": "exact", "pilot": "bezier", "sensor": "point"}
    grids = "".join(f'[[grid]]\n{section} = ["{pairs[section]}", "{toy}"]\n' for section, toy in TOYS.items())
    (lab / "toys.toml").write_text(
        'title = "Toys"\nreport = "benchmark"\n[base]\nfield = "halves"\nkernel = "rbf"\nstrategy = "random"\n'
        'vehicle = "teleport"\n'
        "budget = 24\npilot.readings = 20\nscoring.grid = [8, 8]\nscoring.map_grid = [9, 9]\nscoring.snapshots = 0\n"
        + grids
    )
    result = CliRunner().invoke(main, ["study", "toys.toml", "--out", "out", "--workers", "1"])
    assert result.exit_code == 0, result.output
    for toy in TOYS.values():
        assert f"{toy}" in result.stderr  # whose code runs
        assert re.search(rf"\b{label(toy)}\b", text_of(lab / "out" / "report.html")), toy
    only = CliRunner().invoke(main, ["study", "toys.toml", "--out", "out", "--only", f"kernel={TOYS['kernel']}"])
    assert only.exit_code == 0, only.output


def test_a_model_that_cannot_be_saved_is_trained_again(lab):
    whole = create_run(load_settings(None, with_toy("model")), lab / "whole")
    broken = create_run(load_settings(None, with_toy("model")), lab / "broken")
    run_mission(whole)
    assert run_mission(broken, MissionWatcher(wants_to_stop=lambda: True), checkpoint_every=0) == "stopped"
    assert run_mission(broken, checkpoint_every=0) == "budget"
    assert not list(broken.path.glob("checkpoint*/*"))
    assert broken.journal.read_bytes() == whole.journal.read_bytes()
    assert broken.scores.read_bytes() == whole.scores.read_bytes()


@pytest.mark.parametrize("command", [["run"], ["resume"], ["replay"]])
def test_a_model_of_ones_own_has_the_commands(command, lab):
    def akrig(*words: str):
        result = CliRunner().invoke(main, [*words])
        assert result.exit_code == 0, result.output
        return result

    small = ["--no-report", "--set", "scoring.grid=[8,8]", "--set", "scoring.map_grid=[9,9]"]
    first = ["run", "--field", "halves", "--strategy", "random", "--budget", "24", "--set", "pilot.readings=20"]
    akrig(*first, "--model", TOYS["model"], "--out", "first", *small)
    if command == ["resume"]:
        assert "is finished" in akrig("resume", "first").output
    if command == ["replay"]:
        refused = CliRunner().invoke(main, ["replay", "first", "--out", "again", *small])
        assert f"give --model {TOYS['model']}" in refused.output + refused.stderr
        akrig("replay", "first", "--model", TOYS["model"], "--out", "again", *small)
        assert read_record(lab / "again").title == "Nearest, attentive, random, seed 0"


def test_what_is_no_model_is_told_and_not_called(lab):
    with pytest.raises(ConfigError, match=r"'glider:Glider' is no model: it is a class without predict and latent"):
        resolve(load_settings(None, {**SMALL, "model": "glider:Glider"}))


def test_a_built_in_part_is_one_file_and_its_entry(lab, monkeypatch):
    """A kernel with a word of its own in settings, and an option that no other has."""
    (lab / "wavy.py").write_text(
        "from gpytorch.kernels import PeriodicKernel\n\n"
        "def wavy(lengthscale, period=1.0):\n"
        "    kernel = PeriodicKernel().double()\n"
        "    kernel.lengthscale, kernel.period_length = lengthscale, period\n"
        "    return kernel\n"
    )
    looks = {"colour": "#123456", "mark": "*", "phrase": "the wavy kernel"}
    entry = parts.KernelPart("wavy", "wavy:wavy", "Wavy", "Up and down.", takes=("period",), **looks)
    monkeypatch.syspath_prepend(lab)
    monkeypatch.setitem(parts.KERNELS, "wavy", entry)
    chosen = {"name": "wavy", "lengthscale": 0.25, "options": {"period": 3.0}}
    folder = create_run(load_settings(None, {**SMALL, "kernel": chosen}), lab / "run")
    run_mission(folder)
    model = build_mission(resolve(load_settings(None, {**SMALL, "kernel": chosen, "model": "exact"}))).model
    kernel = model.kernel.base_kernel
    assert (kernel.lengthscale.item(), kernel.period_length.item()) == pytest.approx((0.25, 3.0))
    with pytest.raises(ConfigError, match=r"'wavy' takes no option 'perod'; did you mean 'period'\?"):
        load_settings(None, {**SMALL, "kernel": {"name": "wavy", "options": {"perod": 1}}})
    with pytest.raises(ConfigError, match=r"no kernel is called 'wvy'; did you mean 'wavy'\?"):
        load_settings(None, {**SMALL, "kernel": "wvy"})
    assert "wavy" in _choices(parts.KERNELS)
    assert kernel_marks(["wavy"])["wavy"] == {"color": "#123456", "marker": "*"}
    assert (kernel_words("wavy"), read_record(folder.path).title) == ("the wavy kernel", "Wavy, random, seed 0")
    assert read_run_info(folder).for_page(folder)["kernel"] == "Wavy"


def test_every_entry_leads_somewhere():
    kinds = (parts.KERNELS, parts.MODELS, parts.STRATEGIES, parts.PILOTS, parts.SENSORS, parts.VEHICLES, parts.FIELDS)
    for kind in kinds:
        for name, part in kind.items():
            assert part.name == name
            assert part.sentence
            assert callable(part.maker)
    assert isinstance(parts.KERNELS["rbf"].maker(), RBFKernel)
