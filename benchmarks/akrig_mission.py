"""One whole mission with akrig, journal and all; prints its seconds by part as JSON.

python -m benchmarks.akrig_mission FIELD active|myopic|random SCORE_EVERY READINGS
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import benchmarks.timing  # noqa: F401 - first: it pins every library to one thread

from akrig.config import load_settings  # isort: skip
from akrig.journal import read_record  # isort: skip
from akrig.runs import run_mission, create_run  # isort: skip


def run(field: str, strategy: str, every: int, budget: int, path: Path) -> dict[str, float]:
    options = {"preset": "paper", "field": field, "strategy": strategy, "budget": budget, "scoring": {"every": every}}
    begin = time.perf_counter()
    run_mission(create_run(load_settings(None, options), path))
    total = time.perf_counter() - begin
    record = read_record(path)
    parts = {name: float(column.sum()) for name, column in record.timings.items() if name != "epoch"}
    return {"total": total, **parts, "rest": total - sum(parts.values()), "rmse": float(record.scores["rmse"][-1])}


def main() -> None:
    field, strategy, every, budget = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        run(field, strategy, 1, 60, Path(folder) / "warm-up")  # compiled loops are loaded
        print(json.dumps(run(field, strategy, int(every), int(budget), Path(folder) / "run")))


if __name__ == "__main__":
    main()
