"""Sets of settings with a name. `paper` is what the paper's tables were made with; `default` the best we know."""

from typing import Any

from akrig.parts import USUAL_MODEL

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "budget": {"readings": 700},
        "pilot": {"name": "bezier", "readings": 50, "by": "teleport", "wander": 0.0},
        "sensor": {"noise_std": 1.0},
        "vehicle": {"speed": 1.0, "heading": 1.5707963267948966},
        "kernel": {
            "amplitude": 1.0,
            "lengthscale": 0.5,
            "hidden": 10,
            "num_lengthscales": 10,
            "shortest": 0.01,
            "longest": 0.5,
        },
        "model": {"noise_variance": 1.0, "mean": "zero", "normalization": "pilot", "local_from": 0},
        "training": {
            "optimizer": "adam",
            "learning_rate": 0.01,
            "network_learning_rate": 0.001,
            "steps_per_reading": 1.0,
        },
        "strategy": {"num_candidates": 1000},
        "scoring": {"every": 1, "grid": [50, 50]},
    },
    # A fast and a slow network as one belief, over rougher bases, more lengthscales: docs/performance.md says what for.
    # Driving the pilot survey is honest about its distance.
    "default": {
        "budget": {"readings": 700},
        "pilot": {"by": "vehicle"},
        "kernel": {"family": "matern52", "shortest": 0.02, "longest": 2.0, "spacing": "geometric"},
        "model": {"name": USUAL_MODEL, "noise_variance": 0.1},
        "training": {"learning_rate": 0.02, "network_learning_rate": 0.002, "full_steps": 1.0},
        "strategy": {"information": "deviation"},  # a model that knows how small the noise is stays near by entropy
        "scoring": {"every": 10},
    },
}
