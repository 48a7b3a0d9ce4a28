"""Any grid of runs: defined in TOML, computed on all cores or a cluster, stored so that it can be resumed."""
