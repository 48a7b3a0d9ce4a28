"""What makes a candidate worth a visit; pure."""

import numpy as np

from akrig.types import Values


def entropy(variance: Values) -> Values:
    """Of a Gaussian, in nats."""
    return 0.5 * np.log(2 * np.pi * np.e * variance)


def rescaled(values: Values) -> Values:
    """To [0, 1]; all zero if they do not vary."""
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread > 0 else np.zeros_like(values)
