"""Were the model's parameters changed since last time, by whomever?"""

from torch import nn

from akrig.gp.modules import networks_of
from akrig.kernels.fingerprint import Fingerprint, parameter_places


def fingerprint_of(module: nn.Module) -> Fingerprint:
    """All parameters, and what networks remember in buffers."""
    buffers = ((part._buffers, name) for part in networks_of(module) for name in part._buffers)
    return Fingerprint([*parameter_places(module), *buffers])
