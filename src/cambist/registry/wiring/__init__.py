"""The parts that settings choose by name: the store, endpoints, dialects, and the state of a worker."""
