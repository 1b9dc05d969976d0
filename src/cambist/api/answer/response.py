"""A response: what is answered to one request, for whatever sends it."""

from __future__ import annotations

from dataclasses import dataclass

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """A status, the headers beside those of every response, and a body."""

    status: int
    headers: tuple[Header, ...]
    body: bytes = b""
    media_type: str = "application/json"
