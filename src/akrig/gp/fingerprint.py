"""Were the parameters changed since last time, by whomever?"""

import numpy as np
from torch import nn


class Fingerprint:
    """All parameters' values in one array, cheaply: through views of their memory, made anew if it moves."""

    def __init__(self, module: nn.Module) -> None:
        self._parameters = list(module.parameters())
        self._look()

    def __call__(self) -> np.ndarray:
        if any(p.data_ptr() != address for p, address in zip(self._parameters, self._addresses, strict=True)):
            self._look()
        return np.concatenate(self._views)

    def _look(self) -> None:
        self._addresses = [p.data_ptr() for p in self._parameters]
        self._views = [p.detach().numpy().reshape(-1) for p in self._parameters] or [np.empty(0)]
