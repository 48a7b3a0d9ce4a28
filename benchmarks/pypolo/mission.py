"""Runs in the peers' own venv: one whole mission with the authors' package; prints its seconds by part as JSON.

.venv-peers/bin/python -m benchmarks.pypolo.mission FIELD.npy active|myopic|random SCORE_EVERY READINGS
"""

import contextlib
import io
import json
import sys
import time

import benchmarks.timing  # noqa: F401 - first: it pins every library to one thread

with contextlib.redirect_stdout(io.StringIO()):
    import pypolo  # pyright: ignore[reportMissingImports]
    from pypolo.experiments import Evaluator  # pyright: ignore[reportMissingImports]
    from pypolo.experiments.utilities import seed_everything  # pyright: ignore[reportMissingImports]

import numpy as np

FIELD, TASK = [-11.0, 11.0, -11.0, 11.0], [-10.0, 10.0, -10.0, 10.0]


def main(path: str, name: str, every: int, budget: int) -> dict[str, float]:
    rng = seed_everything(0)
    seconds = dict.fromkeys(("plan", "fit", "score"), 0.0)
    begin = time.perf_counter()
    sensor = pypolo.sensors.Sonar(1.0, np.load(path), FIELD, 1.0)
    x = pypolo.strategies.Bezier(TASK, rng).get(num_states=50)
    y = sensor.sense(x, rng).reshape(-1, 1)
    model = pypolo.models.GPR(x, y, pypolo.kernels.AK(1.0, np.linspace(0.01, 0.5, 10), 2, 10, 10), 1.0)
    evaluator = Evaluator(sensor, TASK, [50, 50])
    strategy = make_strategy(name, rng, x[-1])
    _timed(seconds, "fit", lambda: model.optimize(50, verbose=False))
    _timed(seconds, "score", lambda: evaluator.eval_prediction(model))
    scored = model.num_train
    while model.num_train < budget:
        x = _timed(seconds, "plan", lambda: strategy.get(model=model))  # myopic: it also drives there
        model.add_data(x, sensor.sense(x, rng).reshape(-1, 1))
        num_new = len(x)
        _timed(seconds, "fit", lambda n=num_new: model.optimize(n, verbose=False))
        if model.num_train - scored >= every or model.num_train >= budget:
            _timed(seconds, "score", lambda: evaluator.eval_prediction(model))
            scored = model.num_train
    return {"total": time.perf_counter() - begin, **seconds, "rmse": float(evaluator.rmses[-1])}


def make_strategy(name: str, rng, begin):
    if name == "random":
        return pypolo.strategies.RandomSampling(TASK, rng)
    if name == "active":
        return pypolo.strategies.ActiveSampling(TASK, rng, 1000)
    robot = pypolo.robots.USV(np.array([*begin, np.pi / 2]), 10.0, 1.0, 0.1, 1.0)
    return pypolo.strategies.MyopicPlanning(TASK, rng, 1000, robot)


def _timed(seconds: dict[str, float], part: str, work):
    begin = time.perf_counter()
    result = work()
    seconds[part] += time.perf_counter() - begin
    return result


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        result = main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    print(json.dumps(result))
