"""Exact Gaussian-process regression, online."""

from akrig.gp.normalize import Normalization
from akrig.gp.regression import GPRegression
from akrig.gp.training import Training

__all__ = ["GPRegression", "Normalization", "Training"]
