"""The paper's five overfitting cases with akrig's default model: 300 clean readings, 2000 steps at once.

python -m benchmarks.overfitting [--steps 2000] [--fields N43W080 ...]      (needs AKRIG_DATA; about a minute each)

Is the last test MSLL as good as the best on the way, and better than a plain RBF kernel's?
"""

from benchmarks import timing  # noqa: F401, I001 - first: one thread

import argparse
from typing import Any

import torch

from akrig.config import load_settings
from akrig.config.build import build_kernel
from akrig.gp import CombinedRegression, GPRegression, Training
from akrig.gp.members import combined
from akrig.metrics import interval_coverage, mean_standardized_log_loss
from akrig.study.regression.fitting import Regression, build_regression
from akrig.study.regression.settings import regression_settings

FIELDS = ("N17E073", "N43W080", "N45W123", "N47W124", "helens")
EVERY = 50  # steps between scores
# As in studies/paper-overfitting.toml.
CASE: dict[str, Any] = {
    "readings": {"name": "authors", "count": 300, "seed": 0},
    "model": {"noise_variance": 0.1, "normalization": "readings"},
    "training": {"steps": 2000, "learning_rate": 0.01, "network_learning_rate": 0.001},
    "evaluation": {"grid": [100, 100], "every": 5},
    "kernel": "rbf",
}


def case(name: str) -> Regression:
    field = {"name": name, "extent": {"lower": [0.0, 0.0], "upper": [1.0, 1.0]}}
    return build_regression(regression_settings({**CASE, "field": field}))


def default_model(found: Regression, *, seed: int = 0) -> CombinedRegression:
    settings = load_settings()
    training = settings.training
    model = combined(
        lambda member: build_kernel(
            settings.kernel, dim=2, generator=torch.Generator().manual_seed(100 * seed + member)
        ),
        noise_variance=settings.model.noise_variance,
        mean=settings.model.mean,
        workspace=found.scoring.workspace,
        training=Training("adam", training.learning_rate, training.network_learning_rate, training.full_steps),
    )
    model.observe(found.samples)
    return model


def msll_while_training(
    model: GPRegression | CombinedRegression, found: Regression, *, steps: int
) -> tuple[list[float], float]:
    """After every so many steps; and the coverage of the 95 % intervals in the end."""
    truth = found.scoring.truth
    assert truth is not None
    curve = []
    for _ in range(0, steps, EVERY):
        model.fit(EVERY)
        curve.append(mean_standardized_log_loss(model.predict(found.scoring.points), truth, found.samples.y))
    return curve, interval_coverage(model.predict(found.scoring.points), truth, level=0.95)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=2000)
    options.add_argument("--fields", nargs="+", choices=FIELDS, default=FIELDS)
    given = options.parse_args()
    print("| field | RBF, last | best | at step | last | 95 % coverage |\n|---|---:|---:|---:|---:|---:|")
    for name in given.fields:
        found = case(name)
        rbf, _ = msll_while_training(found.model, found, steps=given.steps)
        curve, covered = msll_while_training(default_model(found), found, steps=given.steps)
        best = min(curve)
        step = EVERY * (1 + curve.index(best))
        print(f"| {name} | {rbf[-1]:.2f} | {best:.2f} | {step} | {curve[-1]:.2f} | {covered:.3f} |", flush=True)


if __name__ == "__main__":
    main()
