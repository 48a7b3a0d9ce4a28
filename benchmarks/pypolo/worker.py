"""Runs in the peers' own venv (`make bench-peers`): times the authors' package on request.

Reads lines `step N REPEAT` or `predict N REPEAT`, answers each with seconds per call. Imports nothing of akrig.
"""

import contextlib
import io
import sys
import time

from benchmarks.timing import readings  # first: it pins every library to one thread

with contextlib.redirect_stdout(io.StringIO()):
    from pypolo.kernels import AK  # pyright: ignore[reportMissingImports]
    from pypolo.models import GPR  # pyright: ignore[reportMissingImports]

import numpy as np


def make(n: int):
    X, y = readings(n)
    with contextlib.redirect_stdout(io.StringIO()):
        model = GPR(X, y[:, None], AK(1.0, np.linspace(0.01, 0.5, 10), 2, 10, 10), 1.0)
        model.optimize(2, verbose=False)
    return model


def main() -> None:
    models = {}
    rng = np.random.default_rng(1)
    for line in sys.stdin:
        task, n, repeat = line.split()
        model = models.setdefault(n, None) or make(int(n))
        models[n] = model
        seconds = 0.0
        for _ in range(int(repeat)):
            queries = rng.uniform(-1, 1, (1000, 2))
            begin = time.perf_counter()
            if task == "step":
                model.optimize(1, verbose=False)
            else:
                model(queries)
            seconds += time.perf_counter() - begin
        print(seconds / int(repeat), flush=True)


main()
