"""A quote: a two-sided price with two times, and what it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace


class Derivation(StrEnum):
    """How a price came to be."""

    PUBLISHED = "published"
    CROSSED = "crossed"
    PEGGED = "pegged"
    CONVERTED = "converted"
    FORWARD_ADJUSTED = "moved"


@dataclass(frozen=True, slots=True)
class Vote:
    """What one source said when sources were asked for one price: its midpoint, its time, its weight; 0 if unheard."""

    source: str
    mid: float
    as_of: datetime
    weight: float


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a quote comes from: how it was made, by whose word, out of which pairs, how the sources voted.

    `pace` says how fast they speak.
    """

    made: Derivation
    sources: tuple[str, ...]
    legs: tuple[Pair, ...] = ()
    votes: tuple[Vote, ...] = ()
    pace: Pace = Pace.DAILY


@dataclass(frozen=True, slots=True)
class Quote:
    """A two-sided price of one base in quote units, exact.

    `as_of` is the market's time, `received_at` ours (both UTC). A midpoint source has equal sides.
    """

    pair: Pair
    bid: Fraction
    ask: Fraction
    as_of: datetime
    received_at: datetime
    origin: Origin

    @property
    def mid(self) -> Fraction:
        """The exact half between the sides."""
        return (self.bid + self.ask) / 2

    @property
    def spread(self) -> Fraction:
        """What a round trip costs."""
        return self.ask - self.bid

    @property
    def own_as_of(self) -> datetime:
        """The market's time of the thing itself, whatever it is dealt in and was crossed with."""
        return next((vote.as_of for vote in self.origin.votes if vote.source in self.origin.sources[:1]), self.as_of)

    def worth(self, code: str) -> Fraction:
        """Give the midpoint of one unit of `code`, whichever side of the pair it is on."""
        return self.mid if code == self.pair.base else 1 / self.mid

    def sides(self, code: str) -> tuple[Fraction, Fraction]:
        """Give bid and ask of one unit of `code`, whichever side of the pair it is on."""
        if code == self.pair.base:
            return self.bid, self.ask
        return 1 / self.ask, 1 / self.bid
