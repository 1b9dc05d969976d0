"""What is raised in place of waiting."""

from __future__ import annotations


class WouldBlock(Exception):
    """Raised in a thread that never waits: the request has to be answered in another one. The client sees nothing."""
