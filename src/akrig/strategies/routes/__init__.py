"""Routes: the whole remaining budget planned at once, and planned again after every stretch."""

from akrig.strategies.routes.network import WayNetwork, Ways
from akrig.strategies.routes.route import Route

__all__ = ["Route", "WayNetwork", "Ways"]
