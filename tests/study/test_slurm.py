"""A study through a real SLURM, on loopback."""

import subprocess

import pytest

from akrig.errors import NoWorkers
from akrig.study.definition import load_study
from akrig.study.store import StudyFolder
from akrig.workers import cluster
from tests.forked import akrig
from tests.study import toys
from tests.study.missions import write_small_study
from tests.study.slurm import slurm, why_not

pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is one")
def test_jobs_of_slurm_carry_out_a_study(tmp_path, tmp_path_factory):
    file, folder = write_small_study(tmp_path), StudyFolder(tmp_path / "results")
    options = ["--slurm", "2", "--seeds", "0", "--out", str(folder.path), "--no-report"]
    with slurm(tmp_path_factory.mktemp("slurm")) as env:
        env = {**env, "DASK_JOBQUEUE__SLURM__SCHEDULER_OPTIONS": '{"host": "127.0.0.1"}'}  # loopback only
        result = akrig("study", str(file), *options, cwd=tmp_path, **env)
        assert result.returncode == 0, result.stderr
        left = subprocess.run(["squeue", "-h", "-t", "PD,R"], env=env, capture_output=True, text=True, timeout=30)
    assert left.stdout == ""
    assert "[4/4]" in result.stderr
    assert not toys.missing(folder, load_study(file, seeds="0").specifications())
    jobs = sorted(log.read_text() for log in (folder.path / "slurm").glob("*.err"))
    assert len(jobs) == 2
    assert all("Threads:                          1" in job for job in jobs)
    assert not list(tmp_path.glob("slurm-*.out"))


def test_without_sbatch_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoWorkers, match="--slurm needs SLURM's `sbatch`, which is not on this machine"):
        cluster.slurm_workers(2, tmp_path)(4).__enter__()


def test_the_reason_for_skipping_names_what_to_install(monkeypatch):
    monkeypatch.setattr("tests.study.slurm._find", lambda name: None)
    assert "apt-get install" in why_not()
