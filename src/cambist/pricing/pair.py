"""A pair of codes: one unit of the base costs so many units of the quote currency."""

from __future__ import annotations

from msgspec import Struct

PIVOT = "USD"
"""The currency through which everything crosses."""


# Pairs are keys wherever there are prices. A struct of msgspec is hashed and compared several times faster than a
# dataclass.
class Pair(Struct, frozen=True, order=True, cache_hash=True):
    """One unit of `base`, priced in units of `quote`."""

    base: str
    quote: str

    @property
    def inverse(self) -> Pair:
        """The pair with base and quote currency exchanged."""
        return Pair(self.quote, self.base)

    def other(self, code: str) -> str:
        """Return the side that is not `code`."""
        return self.base if code == self.quote else self.quote

    def renamed(self, code: str, alias: str) -> Pair:
        """Return the pair with `code` replaced by `alias`."""
        return Pair(*(alias if side == code else side for side in (self.base, self.quote)))

    def __str__(self) -> str:
        return f"{self.base}/{self.quote}"
