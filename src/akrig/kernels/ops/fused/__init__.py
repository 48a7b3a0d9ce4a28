"""Fused loops for one CPU core, compiled by numba."""
