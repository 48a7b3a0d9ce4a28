"""A survey as an MCAP recording, for Foxglove."""
