"""Whole missions of the paper, attentive kernel, on N17E073, against the authors' package: one process and core each.

Beside the paper's single model, the default one (a fast and a slow network as one belief), on one core and on two.

python -m benchmarks.mission [--rounds 3] [--readings 700] [--alone] [--json FILE]  (AKRIG_DATA; pypolo takes minutes)
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.timing import print_table, write_json  # first: one thread

from benchmarks.pypolo.peer import PYTHON, ROOT  # isort: skip

FIELD = "N17E073"
# Strategy, and readings between scores: ours, theirs. The authors' scripts score after every epoch.
MISSIONS = (("active", 1, 1), ("myopic", 10, 1), ("myopic", 10, 10))
PARTS = ("plan", "follow", "fit", "look", "rest")


def ours(strategy: str, every: int, readings: int, model: str = "single", cores: int = 1) -> dict[str, float]:
    numbers = (str(every), str(readings), model, str(cores))
    command = [sys.executable, "-m", "benchmarks.akrig_mission", FIELD, strategy, *numbers]
    return json.loads(subprocess.check_output(command, text=True).splitlines()[-1])


def theirs(strategy: str, every: int, readings: int) -> dict[str, float]:
    field = Path(os.environ["AKRIG_DATA"]).absolute() / "fields" / f"{FIELD}.npy"
    command = [str(PYTHON), "-m", "benchmarks.pypolo.mission", str(field), strategy, str(every), str(readings)]
    said = subprocess.check_output(command, text=True, cwd=ROOT, stderr=subprocess.DEVNULL)
    result = json.loads(said.splitlines()[-1])
    result["look"] = result.pop("score")
    return result


def medians(results: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(result[name] for result in results) for name in results[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--readings", type=int, default=700)
    parser.add_argument("--alone", action="store_true", help="akrig's models, without pypolo")
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    if "AKRIG_DATA" not in os.environ:
        sys.exit(f"Set AKRIG_DATA to the folder that holds fields/{FIELD}.npy.")
    contenders = {"akrig": ours, "combined": partial(ours, model="combined")}
    contenders["combined, two cores"] = partial(ours, model="combined", cores=2)
    if PYTHON.exists() and not given.alone:
        contenders["pypolo"] = theirs
    found, rows = {}, []
    for strategy, *pair in MISSIONS:
        intervals = dict.fromkeys(contenders, pair[0]) | {"pypolo": pair[1]}
        runs = {name: [] for name in contenders}
        for _ in range(given.rounds):
            for name, contender in contenders.items():
                runs[name].append(contender(strategy, intervals[name], given.readings))
        for name, results in runs.items():
            every = intervals[name]
            found[f"{strategy} against pypolo scored every {pair[1]}: {name}"] = seconds = medians(results)
            cells = [f"{seconds[part]:.1f}" if part in seconds else "-" for part in ("total", *PARTS)]
            ratios = [p["total"] / o["total"] for p, o in zip(results, runs["akrig"], strict=True)]
            ratio = "" if name == "akrig" else f"{statistics.median(ratios):.1f} x"
            memory = f"{seconds['megabytes']:.0f}" if "megabytes" in seconds else "-"
            rows.append([f"{strategy}, scored every {every}: {name}", *cells, ratio, memory])
    title = f"Seconds for a mission of {given.readings} readings on {FIELD}, attentive kernel, preset paper"
    print_table(title, ["", "total", *PARTS, "slower", "MB"], rows)
    write_json(given.json, found)


if __name__ == "__main__":
    main()
