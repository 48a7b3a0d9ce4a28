"""The folder of a study: whole results or none, and one worker per run."""

import json
import os
import shutil

import pytest
import xarray as xr

from akrig.study.results import Results
from akrig.study.store import StudyFolder, write_done
from tests.study import toys


@pytest.fixture
def folder(tmp_path) -> StudyFolder:
    folder = StudyFolder(tmp_path / "results")
    folder.create()
    return folder


@pytest.fixture
def specifications():
    return toys.toy_study().specifications()


def store(folder, specification) -> bool:
    scratch = folder.new_scratch(specification.name)
    toys.compute_toy(specification.settings, scratch).to_netcdf(scratch / "result.nc", engine="netcdf4")
    write_done(scratch, specification, seconds=1.5, version="0.1.0")
    return folder.finish(specification, scratch)


def test_a_study_is_specifications_minus_results(folder, specifications):
    assert toys.missing(folder, specifications) == specifications
    assert store(folder, specifications[1])
    assert toys.missing(folder, specifications) == [specifications[0], *specifications[2:]]
    assert not list(folder.scratch.iterdir())
    done = folder.done(specifications[1].name)
    assert done is not None
    assert (done.family, done.seconds) == (specifications[1].family, 1.5)


def test_results_come_in_the_studys_order_with_its_labels(folder, specifications):
    for specification in reversed(specifications):
        store(folder, specification)
    results = folder.load(specifications)
    assert [result.labels for result in results] == [s.labels for s in specifications]
    assert results.labels_of("kernel") == ["rbf", "attentive"]
    rbf = results.where(kernel="rbf")
    assert isinstance(rbf, Results)
    assert [result.labels["seed"] for result in rbf] == ["0", "1"]
    assert len(results.where(**{"kernel.hidden": "5"})) == 0
    assert len(results[1:]) == 3
    xr.testing.assert_identical(rbf[1].data, toys.compute_toy(specifications[1].settings, folder.path))
    assert (rbf[1].path / "done.json").exists()


@pytest.mark.parametrize(
    "damage", ["result cut", "done cut", "done not ours", "result gone", "done gone", "result huge"]
)
def test_a_damaged_result_counts_as_missing_and_can_be_taken_away(folder, specifications, damage):
    for specification in specifications:
        store(folder, specification)
    run = folder.run(specifications[0].name)
    what, how = damage.split(" ", 1)
    file = run / {"result": "result.nc", "done": "done.json"}[what]
    if how == "gone":
        file.unlink()
    elif how == "huge":  # of zeros, whose checksum would take a minute
        os.truncate(file, 20_000_000_000)
    else:
        file.write_bytes(file.read_bytes()[:-20] if how == "cut" else b'{"format": 1}')
    assert toys.missing(folder, specifications) == specifications[:1]
    assert folder.discard(specifications[0].name)
    assert not run.exists()
    assert not folder.discard(specifications[1].name)  # which is whole
    assert store(folder, specifications[0])


def test_the_second_of_two_equal_results_gives_way(folder, specifications):
    store(folder, specifications[0])
    before = (folder.run(specifications[0].name) / "done.json").stat()
    assert not store(folder, specifications[0])
    after = (folder.run(specifications[0].name) / "done.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert not list(folder.scratch.iterdir())


def test_a_claim_is_one_workers(folder):
    with folder.claim("a") as ours, folder.claim("a") as theirs, folder.claim("b") as other:
        assert (ours, theirs, other) == (True, False, True)
    with folder.claim("a") as ours:
        assert ours


def test_leftovers_go_unless_somebody_works_there(folder):
    dead, alive = folder.new_scratch("d" * 16), folder.new_scratch("a" * 16)
    half_made = dead.with_name(f".{dead.name}.0123abcd.part")  # as a mission does that begins there
    half_made.mkdir()
    foreign = folder.scratch / "notes"
    foreign.mkdir()
    with folder.claim("a" * 16):
        folder.sweep_all()
        assert set(folder.scratch.iterdir()) == {alive, foreign}
    assert folder.new_scratch("a" * 16) != alive
    assert not alive.exists()


def test_a_failure_is_kept_until_the_run_succeeds(folder, specifications):
    place = folder.keep_failure(specifications[0], "Traceback ...")
    assert place.read_text() == "Traceback ..."
    told = json.loads((place.parent / "spec.json").read_text())
    assert told["settings"] == specifications[0].settings
    store(folder, specifications[0])
    assert not place.parent.exists()


def test_calls_are_listed(folder):
    assert folder.calls() == []
    first = {"began": "today", "host": "here", "pid": 1}
    folder.record_call({**first, "seconds": 0})
    folder.record_call({**first, "seconds": 1})
    folder.record_call({**first, "pid": 2, "seconds": 2})
    assert [call["seconds"] for call in folder.calls()] == [1, 2]
    folder.history.write_text("[")
    assert folder.calls() == []


def test_loading_leaves_out_what_is_missing(folder, specifications):
    for specification in specifications[:3]:
        store(folder, specification)
    shutil.rmtree(folder.run(specifications[0].name))
    assert len(folder.load(specifications)) == 2
