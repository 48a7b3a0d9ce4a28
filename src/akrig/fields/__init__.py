"""Ground truth, for simulation and scoring."""

from akrig.fields.functions import CHIRP, STEP, Function1D

__all__ = ["CHIRP", "STEP", "Function1D"]
