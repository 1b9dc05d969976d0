"""The parts that settings choose: stores, endpoints, sources, plans, usage counters, snapshots, the sandbox."""
