"""akrig: where should a robot with a point sensor measure next?

Names are loaded when first used, so that `import akrig` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_NAMES = {
    "errors": ("AkrigError", "ConfigError", "NotPositiveDefinite", "TrainingFailed"),
    "fields": ("load_field",),
    "geometry": ("Box", "Pose"),
    "gp": ("GPRegression", "Normalization", "Training"),
    "journal": ("read_record",),
    "kernels": ("AttentiveKernel", "DeepKernel", "GibbsKernel", "Network"),
    "metrics": ("Scoring",),
    "mission": ("Mission",),
    "randomness": ("Randomness",),
    "types": ("Budget", "Epoch", "Measurement", "Plan", "Prediction", "Samples", "Situation"),
}

__all__ = [
    "AkrigError",
    "AttentiveKernel",
    "Box",
    "Budget",
    "ConfigError",
    "DeepKernel",
    "Epoch",
    "GPRegression",
    "GibbsKernel",
    "Measurement",
    "Mission",
    "Network",
    "Normalization",
    "NotPositiveDefinite",
    "Plan",
    "Pose",
    "Prediction",
    "Randomness",
    "Samples",
    "Scoring",
    "Situation",
    "Training",
    "TrainingFailed",
    "__version__",
    "load_field",
    "read_record",
]

if TYPE_CHECKING:
    from akrig.errors import AkrigError, ConfigError, NotPositiveDefinite, TrainingFailed
    from akrig.fields import load_field
    from akrig.geometry import Box, Pose
    from akrig.gp import GPRegression, Normalization, Training
    from akrig.journal import read_record
    from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel, Network
    from akrig.metrics import Scoring
    from akrig.mission import Mission
    from akrig.randomness import Randomness
    from akrig.types import Budget, Epoch, Measurement, Plan, Prediction, Samples, Situation


def __getattr__(name: str) -> object:
    home = next((module for module, names in _NAMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'akrig' has no attribute {name!r}")
    return getattr(import_module(f"akrig.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
