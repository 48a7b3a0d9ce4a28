"""Gaussian-process regression, online: one model, or several as one; exact, or local where readings are many."""

from akrig.gp.calibration import Calibration
from akrig.gp.combination import CombinedRegression
from akrig.gp.normalize import Normalization
from akrig.gp.regression import GPRegression
from akrig.gp.training import Training

__all__ = ["Calibration", "CombinedRegression", "GPRegression", "Normalization", "Training"]
