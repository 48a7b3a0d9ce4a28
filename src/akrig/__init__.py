"""akrig: where should a robot with a point sensor measure next?

Names are loaded when first used, so that `import akrig` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOME = {
    "AkrigError": "errors",
    "AttentiveKernel": "kernels",
    "Box": "geometry",
    "Budget": "types",
    "ConfigError": "errors",
    "DeepKernel": "kernels",
    "Epoch": "types",
    "GPRegression": "gp",
    "GibbsKernel": "kernels",
    "Measurement": "types",
    "Mission": "mission",
    "Network": "kernels",
    "Normalization": "gp",
    "NotPositiveDefinite": "errors",
    "Plan": "types",
    "Pose": "geometry",
    "Prediction": "types",
    "Randomness": "randomness",
    "Samples": "types",
    "Scoring": "metrics",
    "Situation": "types",
    "Training": "gp",
    "TrainingFailed": "errors",
    "load_field": "fields",
    "read_record": "journal",
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
    if name not in _HOME:
        raise AttributeError(f"module 'akrig' has no attribute {name!r}")
    return getattr(import_module(f"akrig.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
