"""One training step: loss, gradient and Adam.

python -m benchmarks.step [--json FILE] [--sizes 100,300,700,1500] [--rounds 9]
"""

from benchmarks.timing import alternate, parse_options, print_table, readings, timed, write_json  # first: one thread

import numpy as np  # isort: skip
import torch  # isort: skip

from benchmarks.contenders import GPyTorchModel, make_akrig  # isort: skip
from benchmarks.pypolo.peer import Pypolo, pypolo_if_installed  # isort: skip


def floor(n: int):
    """What exact training cannot avoid: a Cholesky factorisation and an inverse."""
    X, _ = readings(n)
    squared = ((X[:, None] - X[None]) ** 2).sum(-1)
    K = torch.from_numpy(np.exp(-squared / 0.02) + np.eye(n))
    return lambda: torch.cholesky_inverse(torch.linalg.cholesky(K))


def repeats(n: int) -> int:
    return max(1, 700 // n)


def attentive(n: int, rounds: int, pypolo: Pypolo | None) -> dict[str, float]:
    X, y = readings(n)
    model, peer, repeat = make_akrig("attentive", X, y), GPyTorchModel("plain attentive", X, y), repeats(n)
    steps = 10 * repeat
    tasks = {
        "floor": timed(floor(n), repeat=3 * repeat),
        "akrig": _per_step(timed(lambda: model.fit(steps)), steps),
        "gpytorch": timed(peer.step, repeat=repeat),
    }
    if pypolo is not None:
        tasks["pypolo"] = pypolo.task("step", n, repeat=repeat)
    return alternate(tasks, rounds)


def others(name: str, n: int, rounds: int) -> dict[str, float]:
    X, y = readings(n)
    model, peer, repeat = make_akrig(name, X, y), GPyTorchModel(name, X, y), repeats(n)
    steps = 3 * repeat
    tasks = {
        "akrig": _per_step(timed(lambda: model.fit(steps)), steps),
        "gpytorch": timed(peer.step, repeat=repeat),
    }
    return alternate(tasks, rounds)


def _per_step(task, steps: int):
    return lambda: task() / steps


def main() -> None:
    options = parse_options("Time one training step against peers.", sizes="100,300,700,1500", rounds=9)
    sizes = options.sizes
    pypolo = pypolo_if_installed()
    results, rows = {}, []
    for n in sizes:
        seconds = attentive(n, options.rounds if n < 1000 else max(3, options.rounds // 2), pypolo)
        results[f"attentive {n}"] = seconds
        ours = seconds["akrig"]
        ms = [f"{seconds[name] * 1e3:.2f}" for name in ("floor", "akrig")]
        against = [_against(seconds, name, ours) for name in ("gpytorch", "pypolo")]
        rows.append([str(n), *ms, f"{ours / seconds['floor']:.2f}", *against])
    columns = ["readings", "floor ms", "akrig ms", "x floor", "GPyTorch ms (x akrig)", "pypolo ms (x akrig)"]
    print_table("Attentive kernel: one training step", columns, rows)
    rows = []
    for name in ("rbf", "gibbs", "deep"):
        for n in sizes:
            seconds = others(name, n, options.rounds if n < 1000 else max(3, options.rounds // 2))
            results[f"{name} {n}"] = seconds
            rows.append(
                [name, str(n), f"{seconds['akrig'] * 1e3:.2f}", _against(seconds, "gpytorch", seconds["akrig"])]
            )
    print_table("Other kernels", ["kernel", "readings", "akrig ms", "GPyTorch ms (x akrig)"], rows)
    write_json(options.json, results)


def _against(seconds: dict[str, float], name: str, ours: float) -> str:
    return f"{seconds[name] * 1e3:.2f} ({seconds[name] / ours:.1f})" if name in seconds else "-"


if __name__ == "__main__":
    main()
