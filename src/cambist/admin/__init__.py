"""What the operator's commands do: accounts, keys, sources, backfills, and the start of a service."""
