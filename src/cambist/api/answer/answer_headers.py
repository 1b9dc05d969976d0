"""The headers of answers that say what they depend on, and who may keep them."""

from __future__ import annotations

from functools import lru_cache

EDITION_HEADER = "Cambist-Edition"
"""The header that names the state of the history, or the rate book, that an answer was made from."""

Header = tuple[str, str]
_NO_STORE = ("Cache-Control", "no-store")
VARY = ("Vary", "Accept-Encoding")
NEGOTIATED = ("Vary", "Accept, Accept-Encoding")
"""Of an endpoint that answers as a table too, where the client's `Accept` says so."""


@lru_cache(maxsize=4096)
def headers_without_etag(cost: int, edition: str, vary: tuple[Header, ...]) -> tuple[Header, ...]:
    """Return the headers of an answer that nobody caches: the same object for the same book, made once."""
    named = ((EDITION_HEADER, edition),) if edition else ()
    return (("X-Calls-Cost", str(cost)), _NO_STORE, *named, *vary)
