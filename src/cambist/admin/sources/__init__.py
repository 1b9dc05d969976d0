"""The sources of a service: list, try and backfill them, and ask one now."""
