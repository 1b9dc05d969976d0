"""A pair: one unit of the base is worth so many of the quote."""

from __future__ import annotations

from dataclasses import dataclass

PIVOT = "USD"
"""The currency through which everything crosses."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """One unit of `base` is worth so many of `quote`."""

    base: str
    quote: str

    @property
    def inverse(self) -> Pair:
        """The same two, seen from the other side."""
        return Pair(self.quote, self.base)

    def other(self, code: str) -> str:
        """Give the side that is not `code`."""
        return self.base if code == self.quote else self.quote

    def renamed(self, code: str, alias: str) -> Pair:
        """Give the same pair with another name for `code`."""
        return Pair(*(alias if side == code else side for side in (self.base, self.quote)))

    def __str__(self) -> str:
        return f"{self.base}/{self.quote}"
