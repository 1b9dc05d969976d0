"""The status of this installation: its environment, and a report on each source. Pure."""
