"""Folders that are not what a study expects: nothing of anybody's is lost."""

import errno
import json

import pytest

from akrig.config.presets import PRESETS
from akrig.errors import StudyError, StudyFolderError
from akrig.study import store as store_module
from akrig.study import worker
from akrig.study.engine import run_study
from akrig.study.parts import KINDS
from akrig.study.store import StudyFolder
from akrig.workers.jobs import ThisProcess
from tests.study.toys import MISSIONS, TOYS, toy_study


@pytest.fixture(autouse=True)
def _toys(monkeypatch):
    monkeypatch.setitem(KINDS, "mission", TOYS)


def carry_out(study, folder):
    return run_study(study, folder, lambda num_runs: ThisProcess())


def test_a_folder_with_other_things_is_refused_and_left_alone(tmp_path):
    mission = tmp_path / "runs" / "jacksboro-attentive-myopic-0"
    mission.mkdir(parents=True)
    (mission / "journal.jsonl").write_text("precious")
    with pytest.raises(StudyFolderError, match="holds other things, and no study; choose another folder with --out"):
        carry_out(toy_study(), StudyFolder(tmp_path))
    assert (mission / "journal.jsonl").read_text() == "precious"


def test_what_somebody_put_among_the_runs_stays(tmp_path):
    folder = StudyFolder(tmp_path / "results")
    carry_out(toy_study(), folder)
    for place in (folder.runs / "mine", folder.scratch / "mine-too"):
        place.mkdir()
        (place / "notes.txt").write_text("precious")
    carry_out(toy_study(seeds="0-2"), folder)
    assert (folder.runs / "mine" / "notes.txt").exists()
    assert (folder.scratch / "mine-too" / "notes.txt").exists()


def test_what_a_call_killed_at_its_beginning_left_is_no_hindrance(tmp_path):
    folder = StudyFolder(tmp_path / "results")
    folder.create()
    assert carry_out(toy_study(), folder).computed == 4


@pytest.mark.parametrize(
    "change", [{"settings": []}, {"akrig": None}, {"labels": "x"}, {"kind": "regression"}, {"format": "one"}], ids=str
)
def test_a_damaged_done_file_means_that_run_again_and_no_other(change, tmp_path):
    folder = StudyFolder(tmp_path / "results")
    carry_out(toy_study(), folder)
    done = next(folder.runs.glob("*/done.json"))
    done.write_text(json.dumps({**json.loads(done.read_text()), **change}))
    assert carry_out(toy_study(), folder).computed == 1


def test_a_run_that_was_renamed_is_not_taken_for_another(tmp_path):
    folder = StudyFolder(tmp_path / "results")
    carry_out(toy_study(), folder)
    first, second, *_ = sorted(folder.runs.iterdir())
    (second / "done.json").write_text((first / "done.json").read_text())
    (second / "result.nc").write_bytes((first / "result.nc").read_bytes())
    assert carry_out(toy_study(), folder).computed == 1


def test_a_preset_that_changed_is_a_changed_specification(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "mission", MISSIONS)
    base = {
        "preset": "paper",
        "field": "ridges",
        "budget": 22,
        "pilot": {"readings": 20},
        "scoring": {"grid": [6, 6], "map_grid": [6, 6], "snapshots": 0},
    }
    study = toy_study(seeds=0, base=base, grid=[{"kernel": "rbf"}])
    folder = StudyFolder(tmp_path / "results")
    assert carry_out(study, folder).computed == 1
    assert carry_out(study, folder).computed == 0
    monkeypatch.setitem(PRESETS["paper"], "model", {**PRESETS["paper"]["model"], "noise_variance": 0.5})
    with pytest.raises(
        StudyFolderError, match=r"preset 'paper' has changed since \(model.noise_variance was 1.0, is 0.5"
    ):
        carry_out(study, folder)


def test_a_disk_that_is_full_for_everything_is_one_sentence(tmp_path, monkeypatch):
    folder = StudyFolder(tmp_path / "results")
    carry_out(toy_study(seeds=0), folder)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(worker, "write_done", full)
    monkeypatch.setattr(store_module, "write_text", full)
    with pytest.raises(StudyError, match="is full: what is stored is safe"):
        carry_out(toy_study(), folder)


def test_a_call_is_on_record_while_it_lasts(tmp_path):
    """Of a call that is killed, too."""
    folder, seen = StudyFolder(tmp_path / "results"), []

    class Watched(ThisProcess):
        def results(self, jobs):
            for result in super().results(jobs):
                seen.append([call["computed"] for call in folder.calls()])
                yield result

    run_study(toy_study(), folder, lambda num_runs: Watched())
    assert seen == [[], [1], [2], [3]]
    assert [call["computed"] for call in folder.calls()] == [4]
