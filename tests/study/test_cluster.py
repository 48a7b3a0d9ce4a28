"""Studies with processes of their own: workers and clients that are killed, interrupted, or do not answer."""

import gc
import json
import os
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import xarray as xr

from akrig.errors import SchedulerLost
from akrig.study.definition import load_study
from akrig.study.engine import run_study
from akrig.study.store import StudyFolder
from akrig.workers import cluster
from akrig.workers.cluster import local_workers, scheduler_workers
from akrig.workers.jobs import ThisProcess
from tests.forked import Forked
from tests.study import toys
from tests.study.missions import AKRIG, at_work, notes, said, start, wait_until, write_small_study

pytest.importorskip("distributed")


def stamps(folder: StudyFolder) -> dict[str, tuple[int, int]]:
    """What changes when a result is stored again."""
    found = {}
    for name in folder.stored():
        stat = (folder.run(name) / "done.json").stat()
        found[name] = (stat.st_ino, stat.st_mtime_ns)
    return found


def begin_scheduler(folder: Path, processes: list[Forked]) -> str:
    """Its address."""
    found = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--no-dashboard", "--port", "0", "--scheduler-file", str(found)]
    processes.append(start("distributed.cli.dask_scheduler:main", *options, cwd=folder))
    wait_until(lambda: read_address(found) is not None, folder)
    return read_address(found) or ""


def read_address(file: Path) -> str | None:
    """`None` until the file is whole: it is there before it is written."""
    try:
        return json.loads(file.read_text())["address"]
    except (FileNotFoundError, ValueError):
        return None


def begin_worker(address: str, folder: Path, processes: list[Forked]) -> Forked:
    options = ["--host", "127.0.0.1", "--no-dashboard", "--nthreads", "1", "--no-nanny"]
    processes.append(start("distributed.cli.dask_worker:main", address, *options, cwd=folder))
    return processes[-1]


def test_killed_workers_and_clients_cost_nothing_that_was_stored(tmp_path, processes):
    """The whole story: a scheduler, two workers, one of which is killed, then the client; resumed, then compared."""
    file, folder = write_small_study(tmp_path), StudyFolder(tmp_path / "results")
    address = begin_scheduler(tmp_path, processes)
    workers = [begin_worker(address, tmp_path, processes) for _ in range(2)]

    def begin_study() -> Forked:
        options = ["--out", str(folder.path), "--dask", address, "--no-report"]
        processes.append(start(AKRIG, "study", str(file), *options, cwd=tmp_path))
        return processes[-1]

    client = begin_study()
    wait_until(lambda: len(folder.stored()) >= 2 and workers[0].pid in at_work(folder), tmp_path)
    workers[0].kill()
    before_first = stamps(folder)
    wait_until(lambda: len(folder.stored()) >= 5 and workers[1].pid in at_work(folder), tmp_path)
    client.kill()
    before_second = stamps(folder)
    assert len(before_second) < 12

    assert begin_study().wait(600) == 0, said(tmp_path)

    study = load_study(file)
    assert not toys.missing(folder, study.specifications())
    after = stamps(folder)
    assert len(after) == 12
    assert before_first.items() <= before_second.items() <= after.items()
    for name, lines in notes(folder).items():
        stored_at = after[name][1] / 1e9
        assert all(line["time"] <= stored_at for line in lines if line["event"] == "begun"), (name, lines)
        assert sum(line["event"] == "stored" for line in lines) <= 1
    assert not list(folder.scratch.iterdir())

    serial = StudyFolder(tmp_path / "serial")
    run_study(study, serial, lambda num_runs: ThisProcess())
    for ours, alone in zip(*(each.load(study.specifications()) for each in (folder, serial)), strict=True):
        assert ours.labels == alone.labels
        xr.testing.assert_equal(ours.data, alone.data)


def test_ctrl_c_stops_all_workers_and_says_how_to_go_on(tmp_path, processes):
    file, folder = write_small_study(tmp_path), StudyFolder(tmp_path / "results")
    client = start(AKRIG, "study", str(file), "--out", "results", "--workers", "2", cwd=tmp_path)
    processes.append(client)
    wait_until(lambda: len(folder.stored()) >= 2, tmp_path)
    os.killpg(client.pid, signal.SIGINT)  # as a terminal does: all processes of the group
    assert client.wait(120) == 130, said(tmp_path)
    assert f"Stopped; finished runs are stored. Go on with:\n  akrig study {file} --out results" in said(tmp_path)
    assert "Traceback" not in said(tmp_path)
    assert not list(folder.scratch.iterdir())
    num_stored = len(folder.stored())
    time.sleep(2)
    assert len(folder.stored()) == num_stored < 12


def test_a_run_that_kills_its_worker_is_a_failed_run_among_others(tmp_path, monkeypatch):
    (tmp_path / "deadly.py").write_text("import os\n\n\ndef Kernel(dim):\n    os.kill(os.getpid(), 9)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(cluster.QUIET, "distributed.scheduler.allowed-failures", 0)
    file = write_small_study(tmp_path)
    file.write_text(file.read_text().replace('"rbf", "attentive"', '"rbf", "deadly:Kernel"').replace("0-2", "0"))
    study, folder = load_study(file), StudyFolder(tmp_path / "results")
    summary = run_study(study, folder, local_workers(2, print), only={"strategy": {"random"}})
    assert (summary.done, len(summary.failures)) == (1, 1)
    specification, outcome = next(iter(summary.failures.values()))
    assert specification.labels["kernel"] == "Kernel"
    assert "every worker that tried it died" in outcome.reason
    assert "died" in (folder.failures / specification.name / "traceback.txt").read_text()


def test_a_scheduler_that_is_not_there_is_told_soon(monkeypatch):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(SchedulerLost, match=f"There is no scheduler at {address}; start one with `dask scheduler`"):
        scheduler_workers(address)(2).__enter__()


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "http://x:1:2"])
def test_an_address_that_is_none(address, monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(SchedulerLost, match="There is no scheduler at"):
        scheduler_workers(address)(2).__enter__()


def test_a_client_that_found_nobody_leaves_no_garbage_that_waits_for_a_lock():
    """Dask's client stops its loop when it is collected, which may be while another one holds the loops' lock."""
    from distributed.utils import LoopRunner

    def find_nobody() -> None:
        with suppress(SchedulerLost):
            scheduler_workers("nonsense")(2).__enter__()

    find_nobody()
    collecting = threading.Thread(target=gc.collect, daemon=True)
    with LoopRunner._lock:
        collecting.start()
        collecting.join(20)
        assert not collecting.is_alive()


def test_a_lost_scheduler_ends_the_call_not_what_is_stored(tmp_path, processes):
    file, folder = write_small_study(tmp_path), StudyFolder(tmp_path / "results")
    address = begin_scheduler(tmp_path, processes)
    client = start(AKRIG, "study", str(file), "--out", "results", "--dask", address, cwd=tmp_path)
    processes.append(client)
    wait_until(lambda: "waiting for workers" in said(tmp_path), tmp_path)
    processes[0].kill()
    assert client.wait(60) == 1, said(tmp_path)
    assert "The scheduler was lost" in said(tmp_path)
    assert "Traceback" not in said(tmp_path)
    assert folder.stored() == []


def test_a_client_is_nobodys_default_scheduler(tmp_path, monkeypatch):
    """Else xarray would go through it, and fail once it is gone."""
    import dask.base

    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(SchedulerLost):
        scheduler_workers("tcp://127.0.0.1:9")(2).__enter__()
    assert dask.base.get_scheduler() is None
