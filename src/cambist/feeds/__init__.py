"""What is published, and by whom: one public source a file. A feed extracts and nothing else."""

FEEDS = ("ecb",)
"""The feeds by key, best first. Each module ends in `feed: Feed`."""
