"""Contract checks, shipped: does a part of your own keep the promises that akrig relies on?

Each check raises `AssertionError` with one sentence that says which promise was broken.

    from akrig.testing import check_kernel
    check_kernel(MyKernel(), dim=2)
"""

from akrig.testing.kernels import check_kernel, degenerate_point_sets
from akrig.testing.models import check_model
from akrig.testing.strategies import check_strategy
from akrig.testing.vehicles import check_sensor, check_vehicle

__all__ = ["check_kernel", "check_model", "check_sensor", "check_strategy", "check_vehicle", "degenerate_point_sets"]
