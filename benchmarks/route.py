"""A plan of the rest of a survey, with its parts: a box of open water, and the lake of the examples with its island.

The default model (two networks as one belief) knows readings along a lawnmower's lines; a thousand cells.

python -m benchmarks.route [--json FILE] [--sizes 300,1000] [--rounds 5]
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.timing import alternate, parse_options, print_table, timed, write_json  # first: one thread

import numpy as np  # isort: skip

from akrig.config import load_settings  # isort: skip
from akrig.config.build import build_model  # isort: skip
from akrig.geometry import Box, Pose  # isort: skip
from akrig.protocols import Model  # isort: skip
from akrig.strategies.lawnmower import along, turning_points  # isort: skip
from akrig.strategies.routes import Route  # isort: skip
from akrig.survey.area import read_area  # isort: skip
from akrig.survey.ways import AreaWays  # isort: skip
from akrig.types import Budget, Samples, Situation  # isort: skip

CELLS = 1000
FIELD = "N17E073"  # its settings only
METRES = (400.0, 1200.0, 4000.0)  # that are left
LAKE = read_area(Path(__file__).parents[1] / "examples" / "lake.geojson")
World = tuple[str, Box, tuple[float, float], Route, Callable[[np.ndarray], np.ndarray]]


def worlds() -> list[World]:
    box, home = Box((0, 0), (300, 200)), LAKE.home or (0.0, 0.0)
    plain = Route(num_cells=CELLS, reading_spacing=2.0, speed=1.5)
    ways = AreaWays(LAKE, home, 4.0, 6.0, 1.2)
    return [
        ("box", box, (10.0, 10.0), plain, lambda X: np.ones(len(X), bool)),
        ("lake", LAKE.extent, home, replace(plain, ways=ways), LAKE.allows),
    ]


def taught(box: Box, n: int, allows: Callable[[np.ndarray], np.ndarray]) -> Model:
    """By readings along lines, of a bed that is gentle in the west and rugged in the east."""
    way = along(turning_points(box, 8), 0.1)
    way = way[allows(way)]
    X = way[np.linspace(0, len(way) - 1, n).astype(int)]
    u, v = ((X - np.array(box.lower)) / np.array(box.size)).T
    rough = np.where(u > 0.5, np.sin(25 * u) * np.cos(20 * v), np.sin(2 * v))
    settings = load_settings(None, {"field": FIELD})
    model = build_model(settings, workspace=box)
    model.observe(Samples(X, 10 + 3 * rough + 0.1 * np.random.default_rng(0).standard_normal(n)))
    model.fit(60)
    return model


def seconds_of(route: Route, model: Model, situation: Situation, rounds: int) -> dict[str, float]:
    rng, network = np.random.default_rng(0), route.ways.network(situation, route.num_cells)
    tasks = {
        "plan": timed(lambda: route.plan(model, situation, rng)),
        "ways": timed(lambda: route.ways.network(situation, route.num_cells)),
        "belief": timed(lambda: route.search(model, situation, network)),
    }
    return alternate(tasks, rounds)


def main() -> None:
    options = parse_options("Time a plan of the rest of a survey.", sizes="300,1000", rounds=5)
    results, rows = {}, []
    for name, box, begin, route, allows in worlds():
        for n in options.sizes:
            model = taught(box, n, allows)
            for metres in METRES:
                situation = Situation(Pose(begin), box, Budget(distance=metres))
                seconds = results[f"{name} {n} {metres:.0f}"] = seconds_of(route, model, situation, options.rounds)
                search = 2 * seconds["plan"] - sum(seconds.values())
                rows.append([name, str(n), f"{metres:.0f}", *(f"{s:.2f}" for s in (*seconds.values(), search))])
    columns = ["world", "readings", "metres left", "plan s", "ways", "belief", "search"]
    print_table(f"A plan, {CELLS} cells", columns, rows)
    write_json(options.json, results)


if __name__ == "__main__":
    main()
