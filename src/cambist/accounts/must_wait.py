"""Leaving a request to a thread that may wait."""

from __future__ import annotations


class MustWait(Exception):
    """Raised in a thread that never waits: the request has to be answered in another one. The client sees nothing."""
