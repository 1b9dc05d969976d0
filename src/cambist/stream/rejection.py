"""A rejection: why a connection may not be opened or stay open. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a connection is rejected: an HTTP status, and a message that never contains the key."""

    status: int
    message: str
