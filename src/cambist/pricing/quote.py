"""A quote: a two-sided price with two times and an origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from msgspec import Struct

from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace


class Derivation(StrEnum):
    """How a price was obtained."""

    PUBLISHED = "published"
    CROSSED = "crossed"
    PEGGED = "pegged"
    CONVERTED = "converted"
    FORWARD_ADJUSTED = "moved"


class Vote(Struct, frozen=True):
    """One source in a consensus: its midpoint, its market time and its weight, which is 0 if it was excluded."""

    source: str
    mid: float
    as_of: datetime
    weight: float


class Origin(Struct, frozen=True):
    """Where a quote comes from.

    `made` is how it was obtained, `sources` who published it, `legs` the pairs that it was crossed from, `votes` the
    consensus behind it, and `pace` how often its source publishes.
    """

    made: Derivation
    sources: tuple[str, ...]
    legs: tuple[Pair, ...] = ()
    votes: tuple[Vote, ...] = ()
    pace: Pace = Pace.DAILY

    @property
    def is_fixing(self) -> bool:
        """Whether the quote is a daily fixing, or crossed from two of one source."""
        return self.pace is Pace.DAILY and self.made in (Derivation.PUBLISHED, Derivation.CROSSED)


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote is a two-sided price of one unit of the base in units of the quote currency, exact.

    `as_of` is the time at which the market had this price, `received_at` when Cambist received it (both UTC). A quote
    from a source of midpoints has equal sides.
    """

    pair: Pair
    bid: Fraction
    ask: Fraction
    as_of: datetime
    received_at: datetime
    origin: Origin
    own_time: datetime | None = field(default=None, compare=False, repr=False)
    """The value of `own_as_of` where the votes that it follows from are not at hand."""

    @property
    def mid(self) -> Fraction:
        """The price exactly half way between bid and ask."""
        return (self.bid + self.ask) / 2

    def mid_ratio(self, code: str) -> tuple[int, int]:
        """Return the exact midpoint of one unit of `code` as a ratio that is not reduced, which is fast."""
        bid, ask = self.bid, self.ask
        numerator = bid.numerator * ask.denominator + ask.numerator * bid.denominator
        denominator = 2 * bid.denominator * ask.denominator
        return (numerator, denominator) if code == self.pair.base else (denominator, numerator)

    @property
    def float_mid(self) -> float:
        """The midpoint as float64, rounded once."""
        numerator, denominator = self.mid_ratio(self.pair.base)
        return numerator / denominator

    @property
    def pace(self) -> Pace:
        """How often the source of the quote publishes."""
        return self.origin.pace

    @property
    def spread(self) -> Fraction:
        """Ask minus bid: what buying and selling again costs."""
        return self.ask - self.bid

    @property
    def own_as_of(self) -> datetime:
        """The market time of the code's own price, without the leg that it was crossed with."""
        otherwise = self.own_time or self.as_of
        return next((vote.as_of for vote in self.origin.votes if vote.source in self.origin.sources[:1]), otherwise)

    def worth(self, code: str) -> Fraction:
        """Return the midpoint of one unit of `code`, which may be either side of the pair."""
        return self.mid if code == self.pair.base else 1 / self.mid

    def sides(self, code: str) -> tuple[Fraction, Fraction]:
        """Return bid and ask of one unit of `code`, which may be either side of the pair."""
        if code == self.pair.base:
            return self.bid, self.ask
        return 1 / self.ask, 1 / self.bid
