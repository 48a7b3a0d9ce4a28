"""The mission page under load and under attack: `python -m benchmarks.live`."""
