import numpy as np
import torch
from torch import nn

from akrig.gp.fingerprint import fingerprint_of


def test_every_way_of_changing_a_parameter_is_seen():
    module = nn.Linear(3, 2).double()
    fingerprint = fingerprint_of(module)
    seen = [fingerprint()]

    def changed() -> bool:
        seen.append(fingerprint())
        return not np.array_equal(seen[-1], seen[-2])

    assert not changed()
    with torch.no_grad():
        module.weight.add_(1)
    assert changed()
    module.bias.data.fill_(7)
    assert changed()
    module.weight.data = torch.full((2, 3), 9.0, dtype=torch.float64)
    assert changed()
    module.load_state_dict(nn.Linear(3, 2).double().state_dict())
    assert changed()
    assert len(seen[-1]) == 8


def test_a_module_without_parameters_has_one_too():
    assert len(fingerprint_of(nn.Tanh())()) == 0
