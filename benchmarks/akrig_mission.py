"""One whole mission with akrig, journal and all; prints its seconds by part and its peak memory as JSON.

python -m benchmarks.akrig_mission FIELD active|myopic|random SCORE_EVERY READINGS [single|combined [CORES]]
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import benchmarks.timing  # noqa: F401 - first: it pins every library to one thread

import torch  # isort: skip

from akrig.config import load_settings  # isort: skip
from akrig.config.presets import PRESETS  # isort: skip
from akrig.journal import read_record  # isort: skip
from akrig.runs import run_mission, create_run  # isort: skip

# What the paper's mission is run with: its own model, or the one that is the default, and what its planner goes by.
DEFAULT = ("kernel", "model", "training", "strategy")
MODELS = {"single": {}, "combined": {name: PRESETS["default"][name] for name in DEFAULT}}


def run(field: str, strategy: str, every: int, budget: int, path: Path, *, model: str) -> dict[str, float]:
    options = {"preset": "paper", "field": field, "budget": budget, "scoring": {"every": every}}
    options |= MODELS[model]
    options["strategy"] = {**MODELS[model].get("strategy", {}), "name": strategy}
    begin = time.perf_counter()
    run_mission(create_run(load_settings(None, options), path))
    total = time.perf_counter() - begin
    record = read_record(path)
    parts = {name: float(column.sum()) for name, column in record.timings.items() if name != "epoch"}
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rest = total - sum(parts.values())
    return {"total": total, **parts, "rest": rest, "rmse": float(record.scores["rmse"][-1]), "megabytes": megabytes}


def main() -> None:
    field, strategy, every, budget, *rest = sys.argv[1:]
    model = rest[0] if rest else "single"
    torch.set_num_threads(int(rest[1]) if rest[1:] else 1)
    with tempfile.TemporaryDirectory() as folder:
        run(field, strategy, 1, 60, Path(folder) / "warm-up", model=model)  # compiled loops are loaded
        print(json.dumps(run(field, strategy, int(every), int(budget), Path(folder) / "run", model=model)))


if __name__ == "__main__":
    main()
