"""The installation that runs: its nodes, its signing keys, and the faults of a sandbox."""
