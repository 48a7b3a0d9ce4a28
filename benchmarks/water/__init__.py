"""Surveys with random faults on a real autopilot: `python -m benchmarks.water`."""
