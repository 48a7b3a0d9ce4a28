"""The authors' package, which runs in an environment of its own (`make bench-peers`)."""
