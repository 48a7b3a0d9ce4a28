"""Mean and variance at many points: fresh candidates after a step, a fixed grid, a million points.

python -m benchmarks.predict [--json FILE] [--sizes 100,300,700] [--rounds 9]
"""

import multiprocessing
import resource
import time

from benchmarks.timing import alternate, parse_options, print_table, readings, timed, write_json  # first: one thread

import numpy as np  # isort: skip

from akrig import Box  # isort: skip
from benchmarks.contenders import GPyTorchModel, make_akrig  # isort: skip
from benchmarks.pypolo.peer import Pypolo, pypolo_if_installed  # isort: skip

rng = np.random.default_rng(1)


def candidates() -> np.ndarray:
    return rng.uniform(-1, 1, (1000, 2))


def after_a_step(n: int, rounds: int, pypolo: Pypolo | None) -> dict[str, float]:
    """Prediction and step apart: akrig's `fit` ends by factorising, the others' predictions begin by it."""
    X, y = readings(n)
    model, peer = make_akrig("attentive", X, y), GPyTorchModel("plain attentive", X, y)
    tasks = {
        "akrig": timed(lambda: model.predict(candidates()), repeat=3, prepare=lambda: model.fit(1)),
        "akrig step": timed(lambda: model.fit(1), repeat=3),
        "gpytorch": timed(lambda: peer.predict(candidates())),
        "gpytorch step": timed(peer.step),
    }
    if pypolo is not None:
        tasks["pypolo"] = pypolo.task("predict", n, repeat=1)
        tasks["pypolo step"] = pypolo.task("step", n, repeat=1)
    return alternate(tasks, rounds)


def fixed_grid(n: int, rounds: int) -> dict[str, float]:
    X, y = readings(n)
    model, grid = make_akrig("attentive", X, y), Box((-1, -1), (1, 1)).grid(50, 50)
    tasks = {
        "after a step": timed(lambda: model.predict(grid), prepare=lambda: model.fit(1)),
        "again": timed(lambda: model.predict(grid)),
    }
    return alternate(tasks, rounds)


def million(n: int, answer) -> None:
    """In a process of its own, whose peak memory is then the prediction's."""
    X, y = readings(n)
    model = make_akrig("attentive", X, y)
    model.fit(1)
    model.predict(candidates())
    queries = rng.uniform(-1, 1, (1_000_000, 2))
    before, begin = _bytes_in_use(), time.perf_counter()
    model.predict(queries)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # of the process's whole life: an upper bound
    answer.put((seconds, peak - before))


PEERS = ("akrig", "gpytorch", "pypolo")


def _compared(seconds: dict[str, float]) -> list[str]:
    ours = seconds["akrig"]
    peers = (
        f"{seconds[name] * 1e3:.1f} ({seconds[name] / ours:.1f})" if name in seconds else "-" for name in PEERS[1:]
    )
    return [f"{ours * 1e3:.1f}", *peers]


def _bytes_in_use() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main() -> None:
    options = parse_options("Time predictions against peers.", sizes="100,300,700", rounds=9)
    sizes = options.sizes
    pypolo = pypolo_if_installed()
    results, alone, epoch = {}, [], []
    for n in sizes:
        seconds = results[f"candidates {n}"] = after_a_step(n, options.rounds, pypolo)
        alone.append([str(n), *_compared(seconds)])
        both = {name: seconds[name] + seconds[f"{name} step"] for name in PEERS if name in seconds}
        epoch.append([str(n), *_compared(both)])
    columns = ["readings", "akrig ms", "GPyTorch ms (x akrig)", "pypolo ms (x akrig)"]
    print_table("1000 fresh candidates after a step", columns, alone)
    print_table("A step and 1000 fresh candidates: one epoch of active sampling", columns, epoch)
    rows = []
    for n in sizes:
        seconds = results[f"grid {n}"] = fixed_grid(n, options.rounds)
        rows.append([str(n), *(f"{value * 1e3:.1f}" for value in seconds.values())])
    print_table("2500 fixed grid points", ["readings", "after a step ms", "again ms"], rows)
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=million, args=(sizes[-1], answer))
    process.start()
    seconds, added = answer.get()
    process.join()
    results[f"million {sizes[-1]}"] = {"seconds": seconds, "added bytes": added}
    print(f"\nA million points at {sizes[-1]} readings: {seconds:.1f} s, {added / 2**20:.0f} MiB added at the peak")
    write_json(options.json, results)


if __name__ == "__main__":
    main()
