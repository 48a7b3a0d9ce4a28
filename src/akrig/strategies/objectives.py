"""What makes a candidate worth a visit."""

import numpy as np

from akrig.protocols import Belief, Searching, capability
from akrig.types import Points, Values


def entropy(variance: Values) -> Values:
    """Of a Gaussian, in nats."""
    return 0.5 * np.log(2 * np.pi * np.e * variance)


def rescaled(values: Values) -> Values:
    """To [0, 1]; all zero if they do not vary."""
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread > 0 else np.zeros_like(values)


def most_uncertain(belief: Belief, X: Points) -> int:
    """The place of the point of largest entropy, which is that of largest variance."""
    searching = capability(belief, Searching)
    return int(np.argmax(belief.predict(X).variance)) if searching is None else searching.most_uncertain(X)
