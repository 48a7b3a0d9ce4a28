"""`akrig study` as a person meets it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from akrig.cli import main
from akrig.study.parts import KINDS
from akrig.study.store import StudyFolder
from akrig.workers import cluster
from tests.study import toys
from tests.study.toys import MISSIONS, TOYS

TOML = """
title = "Toys"
about = "Nothing."
seeds = "0-1"
{report}
[base]
field = "ridges"
size = 3
[[grid]]
kernel = {kernels}
"""


@pytest.fixture(autouse=True)
def _toys(monkeypatch, tmp_path):
    monkeypatch.setitem(KINDS, "mission", TOYS)
    monkeypatch.chdir(tmp_path)


def write(report: str = "", kernels: str = '["rbf", "attentive"]', name: str = "toys.toml") -> str:
    Path(name).write_text(TOML.format(report=report, kernels=kernels))
    return name


def study(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["study", *arguments], env={"COLUMNS": "200"})


def alone(*arguments: str) -> Result:
    return study(*arguments, "--workers", "1")


def test_without_a_name_it_lists_the_studies_and_loads_nothing_heavy():
    code = (
        "import sys; from click.testing import CliRunner; from akrig.cli import main\n"
        "print(CliRunner().invoke(main, ['study']).output)\n"
        "print([name for name in ('torch', 'xarray', 'distributed', 'pydantic') if name in sys.modules])"
    )
    lines = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert lines[-1] == "[]"
    assert any(line.split()[:3] == ["paper-benchmark", "480", "runs"] for line in lines)
    assert any(line.startswith("benchmark-offline") for line in lines)


def test_a_study_is_carried_out_and_resumed():
    result = alone(write(), "--out", "out")
    assert result.exit_code == 0, result.output
    assert "toys: 4 runs; 1 worker." in result.stderr
    assert re.search(r"\[4/4\] kernel=attentive, seed=1: [\d.]+ s; 0 s left", result.stderr)
    again = alone("toys.toml", "--out", "out")
    assert again.exit_code == 0
    assert "toys: all 4 runs are there." in again.stderr
    more = alone("toys.toml", "--out", "out", "--seeds", "0-2", "--only", "kernel=rbf")
    assert "toys: 3 runs, 2 of them there already; 1 worker." in more.stderr


def test_labels_may_have_commas():
    kernels = '[{ label = "AK, weights only", name = "attentive" }, "rbf"]'
    result = alone(write(kernels=kernels), "--only", "kernel=AK, weights only,seed=1,kernel=rbf")
    assert "toys: 2 runs; 1 worker." in result.stderr


def test_results_lie_under_the_studys_name_if_no_folder_is_given():
    assert alone(write()).exit_code == 0
    assert len(StudyFolder(Path("study-results/toys")).stored()) == 4


def test_failed_runs_are_listed_at_the_end_one_line_each():
    kernels = '[{ label = "broken", name = "deep", fails = true }, "rbf"]'
    result = alone(write(kernels=kernels), "--out", "out")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[-1] == "2 of 4 runs failed; the next call tries them again."
    assert lines[-2].startswith("kernel=broken, seed=1: ValueError: this kernel fails (see out/failures/")
    place = Path(lines[-2].partition("(see ")[2].removesuffix(")"))
    assert "this kernel fails" in place.read_text()
    assert len(StudyFolder(Path("out")).stored()) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["paper-benchmrk"], "no study is called 'paper-benchmrk'; did you mean 'paper-benchmark'?"),
        (["nowhere.toml"], "there is no file nowhere.toml"),
        (["toys.toml", "--only", "kernl=rbf"], "'kernl' is no axis of toys; did you mean 'kernel'?"),
        (["toys.toml", "--only", "kernel=rfb"], "kernel is never 'rfb' in toys; did you mean 'rbf'?"),
        (["toys.toml", "--only", "rbf"], "'rbf' is not AXIS=LABEL"),
        (["toys.toml", "--seeds", "a-b"], "--seeds: 'a-b' does not fit"),
        (["toys.toml", "--workers", "2", "--dask", "tcp://x"], "exclude each other"),
        (["toys.toml", "--workers", "0"], "0 is not in the range"),
    ],
)
def test_a_wrong_word_is_one_sentence(arguments, said):
    write()
    result = study(*arguments)
    assert result.exit_code != 0
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_a_wrong_key_in_a_file_is_one_sentence():
    Path("bad.toml").write_text('titel = "x"\n')
    result = study("bad.toml")
    assert result.exit_code == 1
    assert "bad.toml: titel is not a word of a study; did you mean 'title'?" in result.stderr


def test_settings_are_checked_before_anything_runs(monkeypatch):
    monkeypatch.setitem(KINDS, "mission", MISSIONS)
    result = alone(write(), "--out", "out")
    assert result.exit_code == 1
    assert "Study toys: size is not a setting" in result.stderr
    assert not Path("out").exists()


def test_a_changed_study_is_refused():
    alone(write(), "--out", "out")
    Path("toys.toml").write_text(Path("toys.toml").read_text().replace("size = 3", "size = 4"))
    result = alone("toys.toml", "--out", "out")
    assert result.exit_code == 1
    assert "size was 3, is 4); take another folder with --out, or change the study back." in result.stderr


def test_an_unreachable_scheduler_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    result = study(write(), "--out", "out", "--dask", "tcp://127.0.0.1:9")
    assert result.exit_code == 1
    assert "There is no scheduler at tcp://127.0.0.1:9" in result.stderr


def test_the_report_is_written_of_what_is_there():
    Path("mine.py").write_text(
        "def write(study, results, folder):\n"
        "    (folder / 'report.html').write_text(study.title)\n"
        "    return [f'{len(results)} results in mine']\n"
    )
    result = alone(write('report = "mine:write"'), "--out", "out", "--only", "kernel=rbf")
    assert "2 results in mine" in result.stdout
    assert Path("out/report.html").read_text() == "Toys"
    assert alone("toys.toml", "--out", "other", "--no-report").exit_code == 0
    assert not Path("other/report.html").exists()


def test_ctrl_c_says_how_to_go_on(monkeypatch):
    def interrupted(settings, path):
        raise KeyboardInterrupt

    write()
    monkeypatch.setattr(toys, "compute_toy", interrupted)
    monkeypatch.setattr(sys, "argv", ["akrig", "study", "toys.toml", "--out", "my results"])
    result = alone("toys.toml", "--out", "my results")
    assert result.exit_code == 130
    assert "Stopped; finished runs are stored. Go on with:\n  akrig study toys.toml --out 'my results'" in result.stderr


def test_paper_is_all_of_the_papers_studies_and_a_page_that_links_them(monkeypatch):
    Path("studies").mkdir()
    for name in ("paper-a", "paper-b", "other"):
        write('report = "mine:write"', name=f"studies/{name}.toml")
    Path("mine.py").write_text(
        "def write(study, results, folder):\n    (folder / 'report.html').write_text('')\n    return []\n"
    )
    monkeypatch.setattr("akrig.study.definition.FOLDERS", (Path("studies"),))
    result = alone("paper", "--out", "out", "--seeds", "0")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in Path("out").iterdir()) == ["index.html", "paper-a", "paper-b"]
    page = Path("out/index.html").read_text()
    assert 'href="paper-a/report.html"' in page
    assert "2 of 2 runs" in page
    assert "Open out/index.html" in result.stdout
