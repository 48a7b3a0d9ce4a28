"""A study is carried out: everything once, whatever happens meanwhile."""

import errno
import json
import sys
import threading
import time
from pathlib import Path

import pytest
import xarray as xr

from akrig.errors import NoWorkers, StudyError, StudyFolderError
from akrig.study import engine, worker
from akrig.study.checks import open_folder
from akrig.study.engine import StudyWatcher, TimeLeft, run_study
from akrig.study.parts import KINDS
from akrig.study.store import StudyFolder
from akrig.workers import cluster
from akrig.workers.cluster import local_workers
from akrig.workers.jobs import ThisProcess
from tests.study.toys import TOYS, toy_study

FAILING = [{"kernel": ["rbf", {"label": "broken", "name": "deep", "fails": True}]}]


@pytest.fixture(autouse=True)
def _toys(monkeypatch):
    monkeypatch.setitem(KINDS, "mission", TOYS)
    monkeypatch.setattr(engine, "SECONDS_BETWEEN_LOOKS", 0.01)


@pytest.fixture
def folder(tmp_path) -> StudyFolder:
    return StudyFolder(tmp_path / "results")


def carry_out(study, folder, **options):
    return run_study(study, folder, lambda num_runs: ThisProcess(), **options)


def begun(folder) -> dict[str, int]:
    """How often each run was begun."""
    return {log.stem: log.read_text().count("begun") for log in folder.claims.glob("*.log")}


def test_everything_is_computed_once_and_never_again(folder):
    study, heard = toy_study(), []
    first = carry_out(study, folder, watcher=StudyWatcher(hear=heard.append))
    assert (first.total, first.done, first.computed, first.failures) == (4, 4, 4, {})
    assert [news.done for news in heard] == [1, 2, 3, 4]
    assert heard[-1].seconds_left == 0
    # A seed at a time.
    assert [news.specification.labels["seed"] for news in heard] == ["0", "0", "1", "1"]
    second = carry_out(study, folder)
    assert (second.done, second.computed) == (4, 0)
    assert set(begun(folder).values()) == {1}
    assert len(folder.load(study.specifications())) == 4
    call = folder.calls()[0]
    assert {"began", "seconds", "workers", "computed", "versions", "cpu"} <= call.keys()
    assert (call["workers"], call["computed"], len(folder.calls())) == (1, 4, 1)


def test_a_study_can_be_extended_with_seeds_and_values(folder):
    carry_out(toy_study(seeds=0), folder)
    assert carry_out(toy_study(seeds="0-2"), folder).computed == 4
    assert carry_out(toy_study(seeds="0-2", grid=[{"kernel": ["rbf", "attentive", "deep"]}]), folder).computed == 3


def test_parts_of_a_study_can_be_computed(folder):
    study = toy_study()
    assert carry_out(study, folder, only={"kernel": {"rbf"}}).total == 2
    assert carry_out(study, folder, only={"kernel": {"attentive"}, "seed": {"1"}}).computed == 1
    assert carry_out(study, folder).computed == 1


def test_a_run_in_two_grids_is_computed_once(folder):
    study = toy_study(grid=[{"label": "a", "kernel": "rbf"}, {"label": "b", "kernel": "rbf"}])
    assert carry_out(study, folder).computed == 2
    assert [result.labels["grid"] for result in folder.load(study.specifications())] == ["a", "a", "b", "b"]


def test_a_failing_run_hides_no_other_and_is_tried_again(folder):
    study = toy_study(grid=FAILING)
    summary = carry_out(study, folder)
    assert (summary.done, len(summary.failures)) == (2, 2)
    specification, outcome = next(iter(summary.failures.values()))
    assert (specification.labels["kernel"], outcome.reason) == ("broken", "ValueError: this kernel fails")
    place = folder.failures / specification.name
    assert "in compute_toy\n" in (place / "traceback.txt").read_text()
    assert json.loads((place / "spec.json").read_text())["labels"] == specification.labels
    assert not list(folder.scratch.iterdir())
    assert len(carry_out(study, folder).failures) == 2
    assert begun(folder)[specification.name] == 2


def test_a_damaged_result_is_computed_again_and_no_other(folder):
    study, told = toy_study(), []
    carry_out(study, folder)
    name = study.specifications()[2].name
    (folder.run(name) / "result.nc").write_bytes(b"not a result")
    summary = carry_out(study, folder, watcher=StudyWatcher(tell=told.append))
    assert summary.computed == 1
    assert told == [f"{folder.run(name)} is damaged: it is not what was stored there. This run is computed again."]
    assert begun(folder)[name] == 2
    assert sum(begun(folder).values()) == 5


def test_a_study_that_changed_is_refused(folder):
    carry_out(toy_study(), folder)
    changed = toy_study(base={"field": "ridges", "size": 4})
    with pytest.raises(StudyFolderError) as caught:
        carry_out(changed, folder)
    said = str(caught.value).replace("kernel=attentive", "kernel=rbf")
    assert said == (
        f"{folder.path} holds 4 results that are not of study toys as it is now (kernel=rbf: size was 3, is 4); take "
        "another folder with --out, or change the study back."
    )
    with pytest.raises(StudyFolderError, match=r"2 results that are not of study toys as it is now .for instance kern"):
        carry_out(toy_study(grid=[{"kernel": ["attentive"]}]), folder)
    assert len(folder.stored()) == 4


@pytest.mark.parametrize("where", ["study.toml", "done.json"])
def test_results_in_another_format_are_refused(folder, where):
    study = toy_study()
    carry_out(study, folder)
    if where == "study.toml":
        folder.definition.write_text(folder.definition.read_text().replace("format = 1", "format = 2"))
    else:
        file = folder.run(study.specifications()[0].name) / "done.json"
        file.write_text(file.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(
        StudyFolderError, match=r"holds results in format 2, this akrig .* reads format 1; use the akrig"
    ):
        carry_out(study, folder)


def test_results_of_another_akrig_are_used_and_mentioned(folder):
    study, told = toy_study(), []
    carry_out(study, folder)
    file = folder.run(study.specifications()[0].name) / "done.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "akrig": "0.0.1"}))
    assert carry_out(study, folder, watcher=StudyWatcher(tell=told.append)).computed == 0
    assert "were computed by akrig 0.0.1" in told[0]


def test_a_full_disk_ends_the_study_and_leaves_nothing_half_written(folder, monkeypatch):
    study, written = toy_study(), xr.Dataset.to_netcdf

    def full_after_one(data, path, **options):
        if folder.stored():
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return written(data, path, **options)

    monkeypatch.setattr(xr.Dataset, "to_netcdf", full_after_one)
    with pytest.raises(StudyError, match=r"The disk of .* is full: what is stored is safe.* Make room"):
        carry_out(study, folder)
    assert len(folder.stored()) == 1
    assert not list(folder.scratch.iterdir())
    assert not list(folder.failures.iterdir())
    monkeypatch.undo()
    monkeypatch.setitem(KINDS, "mission", TOYS)
    assert carry_out(study, folder).computed == 3


def test_a_full_disk_is_known_when_another_error_hides_it():
    hidden = RuntimeError("NetCDF: HDF error")
    hidden.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert worker._is_full(hidden, Path("/"))


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyFolderError, match=r"cannot be made .*; choose another folder with --out"):
        carry_out(toy_study(), StudyFolder(tmp_path / "file"))


def test_a_damaged_definition_is_told(folder):
    carry_out(toy_study(), folder)
    folder.definition.write_text("format = ")
    with pytest.raises(StudyFolderError, match=r"study\.toml is damaged; delete it if the results beside it are"):
        carry_out(toy_study(), folder)
    folder.definition.unlink()
    assert carry_out(toy_study(), folder).computed == 0
    assert folder.definition.exists()


def test_what_somebody_else_computes_is_waited_for(folder):
    """Another machine holds a claim, and stores its result; yet another dies."""
    study = toy_study()
    stored, dies = study.specifications()[0], study.specifications()[1]
    folder.create()
    claimed = threading.Event()

    def elsewhere():
        with folder.claim(stored.name), folder.claim(dies.name):
            claimed.set()
            while len(folder.stored()) < 2:
                time.sleep(0.01)
            worker._compute(folder, stored)

    other = threading.Thread(target=elsewhere, daemon=True)
    other.start()
    assert claimed.wait(10)
    heard = []
    summary = carry_out(study, folder, watcher=StudyWatcher(hear=heard.append))
    other.join()
    assert (summary.done, summary.computed) == (4, 3)
    assert {news.specification.name: news.outcome.state for news in heard}[stored.name] == "present"
    assert set(begun(folder).values()) == {1}


def test_several_may_begin_at_once(folder):
    """As when the same command is given on many machines."""
    barrier, found = threading.Barrier(8), []

    def begin():
        barrier.wait()
        found.append(open_folder(toy_study(), folder, print))

    callers = [threading.Thread(target=begin, daemon=True) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert found == [{}] * 8
    assert carry_out(toy_study(), folder).computed == 4


def test_leftovers_of_the_dead_are_removed(folder):
    carry_out(toy_study(seeds=1), folder)
    left = folder.new_scratch(toy_study().specifications()[0].name)
    (left / "journal.jsonl").write_text("{")
    carry_out(toy_study(), folder)
    assert not left.exists()


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path):
    specification = toy_study().specifications()[0]
    outcome = worker.run_specification(tmp_path / "elsewhere", "mission", specification.settings, specification.labels)
    assert outcome.state == "failed"
    assert "all workers need the study's folder at the same path" in outcome.reason


def test_an_interrupted_study_is_noted_and_leaves_no_scratch(folder):
    def stop(news):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(toy_study(), folder, watcher=StudyWatcher(hear=stop))
    assert folder.calls()[0]["computed"] == 1
    assert not list(folder.scratch.iterdir())


def test_one_worker_or_one_run_needs_no_cluster(monkeypatch):
    assert isinstance(local_workers(1, print)(100), ThisProcess)
    assert isinstance(local_workers(8, print)(1), ThisProcess)
    assert not isinstance(local_workers(8, print)(2), ThisProcess)


def test_without_distributed_one_process_computes_all(monkeypatch):
    told = []
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert isinstance(cluster.local_workers(2, told.append)(10), ThisProcess)
    assert "install akrig[cluster]" in told[0]
    with pytest.raises(NoWorkers, match=r"--dask needs `distributed`; install akrig\[cluster\]"):
        cluster.scheduler_workers("tcp://127.0.0.1:1")(10).__enter__()
    with pytest.raises(NoWorkers, match=r"--slurm needs `dask-jobqueue`; install akrig\[cluster\]"):
        cluster.slurm_workers(1, Path("logs"))(10).__enter__()


def test_time_left_is_learnt_from_runs_of_the_same_family():
    specifications = toy_study(seeds="0-2").specifications()
    pace = TimeLeft(specifications)
    assert pace.seconds_left(2) is None
    rbf, attentive = specifications[0], specifications[3]
    pace.leave_out(rbf.name)
    pace.learn(rbf.family, 2.0)
    assert pace.seconds_left(1) == 10.0  # as far as is known, all are alike
    pace.leave_out(attentive.name)
    pace.learn(attentive.family, 10.0)
    assert pace.seconds_left(2) == (2 * 2.0 + 2 * 10.0) / 2
