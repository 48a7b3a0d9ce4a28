"""The adaptive survey against a lawnmower of equal distance: `python -m benchmarks.field_survey`."""
