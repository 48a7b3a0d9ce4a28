"""The paper's benchmark: tables, curves, and our numbers beside the published ones."""
