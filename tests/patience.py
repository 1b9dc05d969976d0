"""How long a test waits for what has to happen: a machine that is busy with other things is no fault of the service."""

from __future__ import annotations

PATIENCE = 300
"""Seconds. Only a test that fails waits for so long: it is far more than any machine needs."""
