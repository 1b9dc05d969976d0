"""The parts by name and by setting: which stores, endpoints, sources, plans and counters there are."""
