"""The paper's one-dimensional functions: fits, figure and report."""
