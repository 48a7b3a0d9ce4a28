"""The mission page under load: a mission of 20,000 readings, one watched by clients that stall or hurry, one attacked.

python -m benchmarks.live                  all three, with chromium for the first
python -m benchmarks.live --only attacks   does the operator get through, and is the mission as fast as before?
"""

import benchmarks.timing  # noqa: F401, I001 - first: pins every library to one thread

import argparse
import tempfile
from pathlib import Path

from benchmarks.live.attacks import measure_epochs, measure_orders
from benchmarks.live.load import locked, measure_clients, measure_large


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=("large", "clients", "attacks"))
    options.add_argument("--orders", type=int, default=60, help="given to a survey under attack")
    options.add_argument("--readings", type=int, default=2000, help="of a mission under attack")
    options.add_argument("--block", type=int, default=60, help="epochs until the attackers turn to the other page")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.only in (None, "large"):
            measure_large(Path(scratch) / "large")
        if given.only in (None, "clients"):
            measure_clients(Path(scratch) / "watched")
        if given.only in (None, "attacks"):
            measure_orders(Path(scratch) / "ordered", orders=given.orders, view=locked)
            measure_epochs(Path(scratch) / "attacked", readings=given.readings, block=given.block, view=locked)


if __name__ == "__main__":
    main()
