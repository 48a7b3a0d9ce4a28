"""Where to measure next."""

from akrig.strategies.lawnmower import Lawnmower
from akrig.strategies.max_entropy import MaxEntropy
from akrig.strategies.myopic import Myopic
from akrig.strategies.pilot import BezierPilot, LawnmowerPilot
from akrig.strategies.uniform import Uniform

__all__ = ["BezierPilot", "Lawnmower", "LawnmowerPilot", "MaxEntropy", "Myopic", "Uniform"]
