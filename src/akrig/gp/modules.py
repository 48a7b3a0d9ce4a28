"""Which parts of a model are networks: told by type, never by name."""

import gpytorch
from gpytorch.constraints import Interval
from torch import nn


def networks_of(module: nn.Module) -> list[nn.Module]:
    """The plain torch modules in it. What GPyTorch's own modules hold are hyperparameters and their constraints."""
    return [part for part in module.modules() if not isinstance(part, gpytorch.Module | Interval)]


def caches_in_evaluation_mode(module: nn.Module) -> bool:
    """Some GPyTorch kernels (inducing points, grids) remember what they computed until their mode changes."""
    plain = gpytorch.Module._clear_cache
    parts = (part for part in module.modules() if isinstance(part, gpytorch.Module))
    return any(type(part)._clear_cache is not plain for part in parts)
