"""A hundred thousand real soundings, every tenth leg held back, mapped by akrig and by others.

python -m benchmarks.soundings [--contenders NAME ...] [--minutes 4] [--runs results/soundings] [--out FOLDER]
    [--turn 5]

Needs AKRIG_DATA. Resumable: what a contender said is kept in --runs, and the table is written of what there is.
"""

from benchmarks import timing  # isort: skip  # first: one thread

import argparse
import json
import time
from pathlib import Path

from akrig.files import write_text
from benchmarks.soundings.bay import REPORTED, bay
from benchmarks.soundings.contenders import CONTENDERS
from benchmarks.soundings.report import kept_rows, write_table
from benchmarks.soundings.scores import scored


def carry_out(name: str, minutes: float, turn: int, runs: Path) -> dict:
    kept = runs / f"{turn}" / f"{name}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    water = bay(turn)
    begin, clock = time.process_time(), time.perf_counter()
    fitted, about = CONTENDERS[name](water, 60 * minutes)
    learnt = time.process_time() - begin
    said = fitted.predict(water.held.X)
    row = {
        "contender": name,
        "about": about,
        **scored(said, water),
        "learning_cpu_seconds": learnt,
        "predicting_cpu_seconds": time.process_time() - begin - learnt,
        "wall_seconds": time.perf_counter() - clock,
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_text(kept, json.dumps(row, indent=2))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description="Maps of a hundred thousand soundings.")
    parser.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--minutes", type=float, default=4.0, help="of CPU time that each may learn for")
    parser.add_argument("--turn", type=int, default=REPORTED, help="which legs are held back")
    parser.add_argument("--runs", type=Path, default=Path("results/soundings"))
    parser.add_argument("--out", type=Path, default=Path("docs/results/soundings"), help="folder for the table")
    given = parser.parse_args()
    for name in given.contenders:
        print(json.dumps(carry_out(name, given.minutes, given.turn, given.runs)), flush=True)
    print(write_table(kept_rows(given.runs / f"{given.turn}"), given.out))


if __name__ == "__main__":
    assert timing
    main()
