"""What all benchmarks share. Import this first: it pins every library to one thread."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

warnings.filterwarnings("ignore", category=DeprecationWarning)

import numpy as np
import torch

torch.set_num_threads(1)

Task = Callable[[], object]


def alternate(tasks: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Median seconds of each task, each run once a round in turn, so that a busy moment hits all alike.

    A task does its work and returns the seconds it took.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            times[name].append(task())
    return {name: statistics.median(values) for name, values in times.items()}


def timed(work: Task, *, repeat: int = 1, prepare: Task | None = None) -> Callable[[], float]:
    """A task for `alternate`: seconds per call of `work`, `prepare` not counted. Warmed up once."""
    if prepare is not None:
        prepare()
    work()

    def task() -> float:
        seconds = 0.0
        for _ in range(repeat):
            if prepare is not None:
                prepare()
            begin = time.perf_counter()
            work()
            seconds += time.perf_counter() - begin
        return seconds / repeat

    return task


@dataclass(frozen=True)
class Options:
    json: str | None
    sizes: list[int]
    rounds: int


def parse_options(description: str, *, sizes: str, rounds: int) -> Options:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="FILE", help="also write the numbers there")
    parser.add_argument("--sizes", default=sizes, help="numbers of readings (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=rounds, help="repetitions in alternation (default %(default)s)")
    given = parser.parse_args()
    return Options(given.json, [int(size) for size in given.sizes.split(",")], given.rounds)


def readings(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points uniform in [-1, 1]^2 and noisy values of a nonstationary function there."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    rough = np.where(X[:, 0] > 0, np.sin(25 * X[:, 0]) * np.cos(20 * X[:, 1]), np.sin(2 * X[:, 1]))
    return X, rough + 0.1 * rng.standard_normal(n)


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    print(f"\n{title}")
    for row in [columns, ["-" * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells).rstrip())


def write_json(path: str | None, results: object) -> None:
    if path is None:
        return
    versions = {name: version(name) for name in ("akrig", "torch", "gpytorch", "numpy", "scipy", "numba")}
    content = {"machine": platform.machine(), "processor": _processor(), "versions": versions, "results": results}
    with open(path, "w") as file:
        json.dump(content, file, indent=2)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
