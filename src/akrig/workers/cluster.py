"""Workers of a dask scheduler: processes on this machine, somebody's scheduler, or SLURM's jobs."""

import logging
import os
import secrets
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from akrig.errors import NoWorkers, SchedulerLost
from akrig.workers.interrupts import SECONDS_BETWEEN_LOOKS, DeferredInterrupt, interrupts_later
from akrig.workers.jobs import FailedJob, Job, ThisProcess, Workers

SECONDS_TO_CONNECT = 10
SECONDS_TO_CLOSE = 20
LOCAL = "127.0.0.1"
SILENT = logging.CRITICAL + 1  # what dask calls critical, such as a connection that closes first, is of no concern
NO_DASHBOARD = f"{LOCAL}:0"  # dask serves its state whether asked or not: here on any port, to this machine only
MEMORY_PER_WORKER = 2  # gigabytes asked of SLURM; a run or a tile needs less than one
# Long computations are what we do: nobody needs to hear of them.
QUIET = {
    "logging.distributed": "critical",
    "distributed.admin.tick.limit": "1h",
    "distributed.scheduler.allowed-failures": 2,
    "distributed.comm.timeouts.connect": f"{SECONDS_TO_CONNECT}s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.worker-saturation": 1.0,  # the next job goes to whoever is free first
}
# Dask's workers give memory back to the system after every array. A run takes and frees the same few megabytes over and
# over, and would be a third slower for the zeroed pages it gets anew each time.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_MMAP_THRESHOLD_": 1 << 25, "MALLOC_ARENA_MAX": 1}


class Cluster:
    """Workers of a dask scheduler.

    Args:
        connect: makes the client, and the cluster if it is ours.
    """

    def __init__(self, connect: Callable[[], tuple[Any, Any]]) -> None:
        self._connect = connect
        self._interrupt = DeferredInterrupt()

    def __enter__(self) -> "Cluster":
        self._interrupt.__enter__()
        try:
            self._client, self._cluster = self._connect()
        except BaseException as error:
            self._interrupt.__exit__(type(error))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None:
        if kind is not None:
            self._dismiss()
        for part in (self._client, self._cluster):
            if part is not None:
                with suppress(Exception):  # it is over, and everything that matters is on disk
                    part.close(timeout=SECONDS_TO_CLOSE)
        self._interrupt.__exit__(kind)

    def _dismiss(self) -> None:
        """Nobody waits for what workers of our own are computing now."""
        for nanny in getattr(self._cluster, "workers", {}).values():
            with suppress(OSError, TypeError, AttributeError):
                os.kill(nanny.pid, signal.SIGKILL)

    @property
    def size(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except Exception as error:
            raise _lost(error) from error

    def results(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Any]]:
        from distributed import as_completed

        futures = {self._submit(job, -place): job for place, job in enumerate(jobs)}
        # With their results: asked for later, one that was on a worker that has died meanwhile would be waited for.
        over = as_completed(list(futures), loop=self._client.loop, with_results=True, raise_errors=False)
        try:
            while futures:
                for future, result in over.next_batch(block=False):
                    yield futures.pop(future), _result(result, future)
                self.wait(SECONDS_BETWEEN_LOOKS)
        finally:
            with suppress(Exception):
                self._client.cancel(list(futures), force=True)

    def wait(self, seconds: float) -> None:
        self._interrupt.wait(seconds)

    def _submit(self, job: Job, priority: int) -> Any:
        # A key of its own, since a lost client's may still be at work; one first word, so dask takes the jobs for a
        # group of equals, which it hands out one by one, and not for strangers, which it gives away at once.
        key = f"{job.kind}-{job.name}-{secrets.token_hex(4)}"
        return self._client.submit(job.act, *job.arguments, key=key, priority=priority, pure=False)


def _result(found: Any, future: Any) -> Any:
    """What a future ended with, as dask tells it."""
    from distributed import KilledWorker

    if future.status == "finished":
        return found
    if not isinstance(found, tuple):  # dask's word for a future that nobody can carry out any more
        raise _lost(None)
    _, error, _ = found
    if isinstance(error, KilledWorker):
        reason = "every worker that tried it died; it may need more memory than there is"
    else:
        reason = f"{type(error).__name__}: {error}"
    return FailedJob(reason, f"{reason}\n\n{error!r}\n")


def _lost(error: Exception | None) -> SchedulerLost:
    why = f" ({error})" if error is not None and str(error) else ""
    return SchedulerLost(
        f"The scheduler was lost{why}; what is stored is safe. Start it again, then call the same command to go on."
    )


def local_workers(workers: int | None, tell: Callable[[str], None]) -> Callable[[int], Workers]:
    """As many processes as cores, unless told otherwise, and no more than there are jobs; one needs no cluster."""

    def workers_for(num_jobs: int) -> Workers:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = min(workers or cores, num_jobs)
        if wanted <= 1:
            return ThisProcess()
        try:
            import distributed  # noqa: F401
        except ImportError:
            tell("Without `distributed` one process computes all; install akrig[cluster] to use every core.")
            return ThisProcess()
        return Cluster(lambda: _local(wanted))

    return workers_for


def _local(workers: int) -> tuple[Any, Any]:
    from distributed import Client, LocalCluster

    _be_quiet()
    with interrupts_later():
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOCAL,
            dashboard_address=NO_DASHBOARD,
            worker_dashboard_address=NO_DASHBOARD,
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,
            silence_logs=SILENT,
        )
        return Client(cluster, set_as_default=False), cluster


def _be_quiet() -> None:
    import dask.config as config

    config.set(QUIET)
    config.set({f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in KEEP_MEMORY.items()})
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    for name in ("distributed", *names):
        logging.getLogger(name).setLevel(SILENT)


def scheduler_workers(address: str) -> Callable[[int], Workers]:
    """Workers of an existing scheduler."""
    return lambda num_jobs: Cluster(lambda: (_client_of(address), None))


def _client_of(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise NoWorkers("--dask needs `distributed`; install akrig[cluster].") from None
    _be_quiet()
    client = Client.__new__(Client)
    try:
        client.__init__(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)  # not xarray's affair
        return client
    except (OSError, ValueError, TimeoutError) as error:
        with suppress(Exception):
            client.close()  # here, not when it is collected: that may be while another takes the same lock
        raise SchedulerLost(
            f"There is no scheduler at {address}; start one with `dask scheduler`, and give its address, such as "
            "tcp://127.0.0.1:8786."
        ) from error


def slurm_workers(jobs: int, logs: Path) -> Callable[[int], Workers]:
    """So many jobs of one core each; dask's own configuration (jobqueue.slurm) has the last word on all but `jobs`.

    Args:
        logs: where jobs write what they say.
    """
    return lambda num_jobs: Cluster(lambda: _slurm(min(jobs, num_jobs), logs.absolute()))


def _slurm(jobs: int, logs: Path) -> tuple[Any, Any]:
    try:
        import dask.config as config
        from dask_jobqueue.slurm import SLURMCluster
        from distributed import Client
    except ImportError:
        raise NoWorkers("--slurm needs `dask-jobqueue`; install akrig[cluster].") from None
    if shutil.which("sbatch") is None:
        raise NoWorkers("--slurm needs SLURM's `sbatch`, which is not on this machine; try a login node.")
    _be_quiet()
    cores = config.get("jobqueue.slurm.cores", None) or 1
    given: dict[str, Any] = {
        "scheduler_options": {
            "dashboard": False,
            "dashboard_address": ":0",
            **config.get("jobqueue.slurm.scheduler-options", {}),
        },
        "cores": cores,
        "processes": cores,  # one thread each
        "memory": config.get("jobqueue.slurm.memory", None) or f"{MEMORY_PER_WORKER * cores}GB",
        "log_directory": config.get("jobqueue.slurm.log-directory", None) or str(logs),
        "job_script_prologue": [
            *(f"export {name}={value}" for name, value in KEEP_MEMORY.items()),
            *(config.get("jobqueue.slurm.job-script-prologue", None) or []),
        ],
    }
    with interrupts_later():
        cluster = SLURMCluster(**given)
        cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)  # a job that ends is replaced
        return Client(cluster, set_as_default=False), cluster
