"""Where to measure next."""

from akrig.strategies.candidates import MaxEntropy, Myopic, Uniform
from akrig.strategies.lawnmower import Lawnmower
from akrig.strategies.pilot import BezierPilot, LawnmowerPilot

__all__ = ["BezierPilot", "Lawnmower", "LawnmowerPilot", "MaxEntropy", "Myopic", "Uniform"]
