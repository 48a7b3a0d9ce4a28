"""Were parameters changed since last time, by whomever?"""

from collections.abc import Iterable, Iterator

import numpy as np
from torch import Tensor, nn

Place = tuple[dict, str]


class Fingerprint:
    """Tensors in one array, cheaply: by views of their memory, made anew if it moves.

    Args:
        places: the dictionaries that hold them, and their names there.
    """

    def __init__(self, places: Iterable[Place]) -> None:
        self._places = list(places)
        self._addresses: list[int] = []
        self._views = [np.empty(0)]

    def __call__(self) -> np.ndarray:
        values = [value for where, name in self._places if isinstance(value := where[name], Tensor)]
        addresses = [value.data_ptr() for value in values]
        if addresses != self._addresses:
            self._addresses = addresses
            self._views = [np.empty(0), *(value.detach().numpy().reshape(-1) for value in values)]
        return np.concatenate(self._views)


def parameter_places(module: nn.Module) -> Iterator[Place]:
    """Of all parameters in a module and its parts."""
    for part in module.modules():
        for name in part._parameters:
            yield part._parameters, name
