"""What the nodes of a service tell each other: changes, limits, and who is live."""
