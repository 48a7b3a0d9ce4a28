"""One more reading without training: the extended factorisation against a fresh one.

python -m benchmarks.observe [--json FILE] [--sizes 100,300,700,1500] [--rounds 21]
"""

from benchmarks.timing import alternate, parse_options, print_table, readings, timed, write_json  # first: one thread

import numpy as np  # isort: skip

from akrig import Samples  # isort: skip
from benchmarks.contenders import make_akrig  # isort: skip


def compare(n: int, rounds: int) -> dict[str, float]:
    X, y = readings(n)
    rng = np.random.default_rng(2)
    model = make_akrig("attentive", X, y)
    model.fit(1)
    model.condition()
    changed = make_akrig("attentive", X, y)
    fresh = {}

    def draw() -> None:
        fresh["reading"] = Samples(rng.uniform(-1, 1, (1, 2)), rng.standard_normal(1))

    def one_more() -> None:
        model.observe(fresh["reading"])
        model.condition()

    def start_over() -> None:
        """A model of the same readings whose kernel matrix and factorisation are still to be computed."""
        fresh["model"] = make_akrig("attentive", *readings(8))
        fresh["model"].condition()

    def factorise() -> None:
        fresh["model"].observe(Samples(X, y))
        fresh["model"].condition()

    def reweigh() -> None:
        changed.kernel.outputscale = rng.uniform(0.9, 1.1)
        changed.condition()

    tasks = {
        "observe": timed(one_more, repeat=10, prepare=draw),
        "fresh": timed(factorise, prepare=start_over),
        "reweighed": timed(reweigh),
    }
    return alternate(tasks, rounds)


def main() -> None:
    options = parse_options("Time one more reading against a fresh factorisation.", sizes="100,300,700,1500", rounds=21)
    results, rows = {}, []
    for n in options.sizes:
        seconds = results[f"observe {n}"] = compare(n, options.rounds)
        observe = seconds["observe"]
        others = [f"{seconds[k] * 1e3:.2f} ({seconds[k] / observe:.0f})" for k in ("fresh", "reweighed")]
        rows.append([str(n), f"{observe * 1e3:.3f}", *others])
    columns = ["readings", "observe one ms", "kernel matrix + factor ms (x)", "cached correlations + factor ms (x)"]
    print_table("One more reading, ready to predict", columns, rows)
    write_json(options.json, results)


if __name__ == "__main__":
    main()
