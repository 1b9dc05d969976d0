"""What an operator does, behind the commands: accounts, keys, quarantine, sources, backfills."""
