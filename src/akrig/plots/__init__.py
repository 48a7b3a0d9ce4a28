"""Figures. matplotlib is imported here and nowhere else."""
