"""Who computes what is too much for one process: options of commands, and what they lead to."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from akrig.workers.jobs import Workers


def computers(command):
    """The options `--workers`, `--dask` and `--slurm`, as `workers`, `address` and `jobs`."""
    options = [
        click.option(
            "--workers", type=click.IntRange(min=1), help="Processes on this machine; as many as cores if not given."
        ),
        click.option(
            "--dask", "address", metavar="ADDRESS", help="An existing dask scheduler, such as tcp://127.0.0.1:8786."
        ),
        click.option(
            "--slurm", "jobs", type=click.IntRange(min=1), metavar="JOBS", help="Jobs of one core, through sbatch."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def check_one_computer(workers: int | None, address: str | None, jobs: int | None) -> None:
    if sum(given is not None for given in (workers, address, jobs)) > 1:
        raise click.UsageError("--workers, --dask and --slurm exclude each other: choose who computes.")


def workers_for(
    tell: Callable[[str], None], *, logs: Path, workers: int | None, address: str | None, jobs: int | None
) -> "Callable[[int], Workers]":
    """Args:
    logs: where jobs of SLURM write what they say.
    """
    from akrig.workers.cluster import local_workers, scheduler_workers, slurm_workers

    if address is not None:
        return scheduler_workers(address)
    return local_workers(workers, tell) if jobs is None else slurm_workers(jobs, logs)
