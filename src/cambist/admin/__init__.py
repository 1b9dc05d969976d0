"""What the operator's commands do: accounts, keys, quarantine, sources, backfills, and the start of a service."""
