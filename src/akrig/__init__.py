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
    "DeepKernel": "kernels",
    "GPRegression": "gp",
    "GibbsKernel": "kernels",
    "Network": "kernels",
    "Normalization": "gp",
    "NotPositiveDefinite": "errors",
    "Prediction": "types",
    "Samples": "types",
    "Training": "gp",
    "TrainingFailed": "errors",
}

__all__ = [
    "AkrigError",
    "AttentiveKernel",
    "Box",
    "DeepKernel",
    "GPRegression",
    "GibbsKernel",
    "Network",
    "Normalization",
    "NotPositiveDefinite",
    "Prediction",
    "Samples",
    "Training",
    "TrainingFailed",
    "__version__",
]

if TYPE_CHECKING:
    from akrig.errors import AkrigError, NotPositiveDefinite, TrainingFailed
    from akrig.geometry import Box
    from akrig.gp import GPRegression, Normalization, Training
    from akrig.kernels import AttentiveKernel, DeepKernel, GibbsKernel, Network
    from akrig.types import Prediction, Samples


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'akrig' has no attribute {name!r}")
    return getattr(import_module(f"akrig.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
