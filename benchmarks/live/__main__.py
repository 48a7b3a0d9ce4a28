"""The mission page under load: a mission of 20,000 readings, one watched by clients that stall or hurry, one attacked.

python -m benchmarks.live                  all three, with chromium for the first
python -m benchmarks.live --only attacks   does the operator get through, and is the mission as fast as before?
"""

import benchmarks.timing  # noqa: F401, I001 - first: pins every library to one thread

import argparse
import tempfile
from pathlib import Path

from benchmarks.live.attacks import measure_attacks
from benchmarks.live.load import locked, measure_clients, measure_large


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=("large", "clients", "attacks"))
    options.add_argument("--minutes", type=float, default=2.8, help="of a survey under attack; a charge lasts for four")
    options.add_argument("--block", type=int, default=6, help="epochs until the attackers turn to the other page")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.only in (None, "large"):
            measure_large(Path(scratch) / "large")
        if given.only in (None, "clients"):
            measure_clients(Path(scratch) / "watched")
        if given.only in (None, "attacks"):
            measure_attacks(Path(scratch) / "attacked", minutes=given.minutes, block=given.block, view=locked)


if __name__ == "__main__":
    main()
