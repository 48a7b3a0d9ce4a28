"""Compiles akrig's loops before the tests, once: every worker of pytest would compile them for itself at the start.

python -m tests.compiled
"""

import tempfile
from pathlib import Path

from akrig.config import load_settings
from akrig.runs import create_run, run_mission

SMALL = {
    "field": "halves",
    "budget": 25,
    "pilot": {"readings": 20, "by": "teleport"},
    "scoring": {"grid": [10, 10], "map_grid": [10, 10], "snapshots": 2},
}
FAMILIES = ({"family": "rbf"}, {"family": "matern32"}, {"selection": "separate"}, {"selection": "lengthscales"})
KERNELS = ("rbf", "gibbs", "deep", "matern", *({"name": "attentive", **family} for family in FAMILIES))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for number, kernel in enumerate(KERNELS):
            for strategy in ("active", "myopic") if number < 5 else ("active",):
                settings = load_settings(None, {**SMALL, "kernel": kernel, "strategy": strategy})
                run_mission(create_run(settings, Path(scratch) / f"{number}-{strategy}"))
        settings = load_settings(None, {**SMALL, "model": {"name": "combined", "local_from": 20}})
        run_mission(create_run(settings, Path(scratch) / "local"))


if __name__ == "__main__":
    main()
