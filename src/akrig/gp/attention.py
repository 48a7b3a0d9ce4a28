"""What a nonstationary kernel has learnt about each place, in metres."""

from akrig.protocols import Belief, Explaining, capability
from akrig.types import Attention, Points


def attention_at(model: Belief, X: Points) -> Attention | None:
    """`None` if the model sees equally far everywhere, or has no scales yet."""
    explaining = capability(model, Explaining)
    return None if explaining is None else explaining.explain(X)
