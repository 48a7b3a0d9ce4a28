"""Planners at equal metres, way home included: `python -m benchmarks.planners`."""
