"""Who computes, one job beside the other: this process, processes on this machine, a dask cluster, SLURM."""
