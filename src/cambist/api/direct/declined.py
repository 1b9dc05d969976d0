"""Leaving a request to the general way."""

from __future__ import annotations


class Declined(Exception):
    """Only the general way knows the answer, or the refusal."""
