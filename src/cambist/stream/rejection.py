"""A rejection: why a connection may not begin or continue. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a connection is rejected: a status with HTTP's meaning, and a message that never repeats the key."""

    status: int
    message: str
