"""A study with one worker and with two, and the machine's own limit: two processes that know nothing of each other.

python -m benchmarks.study [--rounds 3] [--runs 24] [--no-limit]
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import print_table

ONLY = "field=ridges,kernel=attentive,strategy=active"
NAMES = {"one": "one worker", "two": "two workers", "limit": "two processes, half of it each"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--runs", type=int, default=24)
    options.add_argument("--no-limit", action="store_true", help="only the study with one worker and with two")
    given = options.parse_args()
    half = given.runs // 2
    names = [name for name in NAMES if not (given.no_limit and name == "limit")]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        _finish([_begin(Path(scratch), "warm", "0", workers=1)])  # compiles, on a new machine
        for _ in range(given.rounds):
            for name in names:
                begin = time.perf_counter()
                if name == "limit":
                    parts = (("first", f"0-{half - 1}"), ("second", f"{half}-{2 * half - 1}"))
                    _finish([_begin(Path(scratch), part, seeds, workers=1) for part, seeds in parts])
                else:
                    workers = 1 if name == "one" else 2
                    _finish([_begin(Path(scratch), name, f"0-{2 * half - 1}", workers=workers)])
                seconds[name].append(time.perf_counter() - begin)
    rows = []
    for name in names:
        ratios = [one / this for one, this in zip(seconds["one"], seconds[name], strict=True)]
        told = " ".join(f"{s:.0f}" for s in seconds[name])
        rows.append([NAMES[name], f"{statistics.median(seconds[name]):.0f}", f"{statistics.median(ratios):.2f}", told])
    print_table(f"{2 * half} runs of 700 readings ({ONLY})", ["", "s", "x one", "rounds"], rows)


def _begin(scratch: Path, name: str, seeds: str, *, workers: int) -> subprocess.Popen:
    out = scratch / name
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "akrig", "study", "benchmark-offline", "--only", ONLY, "--seeds", seeds]
    command += ["--workers", str(workers), "--out", str(out), "--no-report"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _finish(processes: list[subprocess.Popen]) -> None:
    codes = [process.wait() for process in processes]
    if any(codes):
        raise SystemExit("a study failed; try its command by hand")


if __name__ == "__main__":
    main()
