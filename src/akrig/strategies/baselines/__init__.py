"""What a route has to be better than: patterns, and planners of other kinds, by the same ways with as many metres."""

from akrig.strategies.baselines.cover import Cover
from akrig.strategies.baselines.infill import LawnmowerInfill
from akrig.strategies.baselines.lap import LapAndSpine
from akrig.strategies.baselines.tree import TreeSearch

__all__ = ["Cover", "LapAndSpine", "LawnmowerInfill", "TreeSearch"]
