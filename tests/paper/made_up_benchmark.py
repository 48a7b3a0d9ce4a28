"""Benchmarks without missions: curves that average to the paper's numbers, or to whatever a test wants."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.metrics import averaged
from akrig.paper.benchmark.comparison import published_scores
from akrig.study.definition import Study, read_study
from akrig.study.results import Result, Results

FIELDS = ("N17E073", "N43W080", "N45W123", "N47W124")
STRATEGIES = ("random", "active", "myopic")
KERNELS = ("rbf", "attentive", "gibbs", "deep")
METRICS = ("smse", "msll", "nlpd", "rmse", "mae")
PAPER = {"preset": "paper", "scoring": {"every": 10}}

Level = Callable[[dict[str, str], str], float]


def as_in_the_paper(labels: dict[str, str], metric: str) -> float:
    """The paper's mean and standard deviation over seeds 0 to 2; kernels it does not have are like RBF."""
    kernel = labels["kernel"] if labels["kernel"] in KERNELS else "rbf"
    theirs = published_scores()[labels["strategy"], labels["field"], kernel, metric]
    return theirs.mean + theirs.std * (int(labels["seed"]) % 3 - 1)


def made_up_study(*, seeds: str = "0-9", base: dict[str, Any] | None = None, **axes: Sequence[Any]) -> Study:
    grid = {"field": FIELDS, "strategy": STRATEGIES, "kernel": KERNELS} | axes
    content = {
        "title": "A made-up benchmark",
        "about": "Nothing was computed.",
        "report": "benchmark",
        "seeds": seeds,
        "base": PAPER if base is None else base,
        "grid": [{name: list(values) for name, values in grid.items()}],
    }
    return read_study(content, name="made-up", source="a test")


def made_up_results(study: Study, level: Level = as_in_the_paper) -> Results:
    return Results([made_up_result(spec.labels, level) for spec in study.specifications()])


def made_up_result(labels: dict[str, str], level: Level) -> Result:
    return Result(labels, made_up_run(lambda metric: level(labels, metric), seed=int(labels["seed"])), Path("nowhere"))


def made_up_run(level: Callable[[str], float], *, seed: int = 0) -> xr.Dataset:
    """Scored at about every tenth reading; each metric's curve averages to `level(metric)`."""
    rng = np.random.default_rng(seed)
    samples = np.unique([50, *(50 + np.cumsum(rng.integers(9, 13, 58))), 700])
    shape = 1 + 2 * np.exp(-(samples - 50) / 100)
    shape /= averaged(samples.astype(float), shape)
    curves = {metric: level(metric) * (shape if metric != "msll" else 2 - shape) for metric in METRICS}
    curves["crps"] = 0.7 * curves["mae"]
    shares = {"coverage50": 0.53, "coverage90": 0.91, "coverage95": 0.94, "correlation": 0.4}
    curves |= {name: np.full(len(samples), share) for name, share in shares.items()}
    return xr.Dataset({name: ("samples", values) for name, values in curves.items()}, coords={"samples": samples})
