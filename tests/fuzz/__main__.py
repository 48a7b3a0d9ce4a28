"""`python -m tests.fuzz CASES`: many cases on all cores, what went wrong in them, and how to see one of these again.

In pieces, each written down when it is done: who stops it and calls it again goes on with the next.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from tests.fuzz.fuzzing import faults_of, material

PIECE = 2000


def main() -> int:
    options = _options()
    if options.seed is not None:
        return _again(options.seed)
    written = _read(options.log)
    with material() as good:
        for first in range(options.first, options.first + options.cases, PIECE):
            seeds = range(first, min(first + PIECE, options.first + options.cases))
            if (name := f"{seeds.start}-{seeds.stop}") in written:
                continue
            begin = time.monotonic()
            written[name] = faults_of(seeds, good=good, workers=options.workers)
            with options.log.open("a") as file:
                file.write(json.dumps({"seeds": name, "faults": written[name]}) + "\n")
            print("\n".join([*written[name], f"Seeds {name}: {time.monotonic() - begin:.0f} s."]), flush=True)
    faults = [fault for found in written.values() for fault in found]
    cases = sum(int(end) - int(begin) for begin, end in (name.split("-") for name in written))
    print(f"{cases} cases, {len(faults)} faults, in {options.log}; `python -m tests.fuzz --seed SEED` repeats one.")
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("cases", type=int, nargs="?", default=100_000)
    parser.add_argument("--first", type=int, default=0, help="seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--log", type=Path, default=Path("fuzz.jsonl"), help="what is done; pieces in it are left out")
    parser.add_argument("--seed", type=int, help="only this one")
    return parser.parse_args()


def _read(log: Path) -> dict[str, list[str]]:
    pieces = map(json.loads, log.read_text().splitlines()) if log.exists() else []
    return {piece["seeds"]: piece["faults"] for piece in pieces}


def _again(seed: int) -> int:
    with material() as good:
        faults = faults_of(range(seed, seed + 1), good=good, workers=1)
    print("\n".join(faults) or "Nothing is wrong.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
