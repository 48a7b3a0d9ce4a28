"""Surveys with random faults on a real autopilot: who has the boat, where it was, how it ended, and what was kept.

AKRIG_ARDUPILOT=folder python -m benchmarks.water --out folder [--surveys 40] [--workers 2] [--seeds 3 17] [--report]

Needs ArduPilot's `ardurover` and `boat.parm` in the folder that AKRIG_ARDUPILOT names (docs/field.md). Resumable:
surveys that are in results.jsonl of `--out` are not done again. `--report` prints the table of what is there.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.water.report import summary, table
from benchmarks.water.survey import Row, is_well, surveyed
from tests.ardupilot.autopilot import why_not


def results(out: Path) -> list[Row]:
    """What was done so far, in the order of seeds; a seed done twice counts as it came out last."""
    path = out / "results.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return sorted({row["seed"]: row for row in rows}.values(), key=lambda row: row["seed"])


def carried_out(seeds: Sequence[int], out: Path, *, workers: int) -> Iterator[Row]:
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(surveyed, seed, out) for seed in seeds]
        for future in as_completed(futures):
            row = future.result()
            with (out / "results.jsonl").open("a") as file:
                file.write(json.dumps(row) + "\n")
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(description="Surveys with random faults on a real autopilot.")
    parser.add_argument("--surveys", type=int, default=40)
    parser.add_argument("--seeds", type=int, nargs="+", help="these instead, again if they were done")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True, help="folder outside the repository")
    parser.add_argument("--report", action="store_true", help="only print what is there")
    given = parser.parse_args()
    if not given.report:
        if (reason := why_not()) is not None:
            sys.exit(f"{reason[0].upper()}{reason[1:]}.")
        done = {row["seed"] for row in results(given.out)}
        seeds = given.seeds or [seed for seed in range(given.surveys) if seed not in done]
        for row in carried_out(seeds, given.out.resolve(), workers=given.workers):
            verdict = "well" if is_well(row) else "NOT WELL"
            print(f"{row['seed']:2d} {verdict} {row['seconds']:.0f} s: {row['faults']} {row['ended']}", flush=True)
    rows = results(given.out)
    print(f"\n{table(rows)}\n\n{summary(rows)}")


if __name__ == "__main__":
    main()
