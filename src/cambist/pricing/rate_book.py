"""The rate book: all latest quotes at one moment, as one immutable value with a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from cambist.errors import RateUnavailable
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.unix_time import EPOCH, unix_us
from cambist.reference.tables import CURRENCIES


@dataclass(frozen=True)
class RateBook:
    """All latest quotes at one moment.

    `quotes` has one quote for each code, against the pivot (either way round). `listed` has the codes that responses
    about all currencies contain, sorted; others are returned when they are requested by name (ADR 6).
    `pairs` has the quotes of pairs that are traded directly, as their sources quote them; `venue_pairs` names all pairs
    that venues list, quoted or not. `as_of` is the newest market time of a currency.
    """

    version: int
    as_of: datetime
    quotes: Mapping[str, Quote]
    listed: tuple[str, ...]
    pairs: Mapping[Pair, Quote] = field(default_factory=dict)
    venue_pairs: frozenset[Pair] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "quotes", MappingProxyType(dict(self.quotes)))
        object.__setattr__(self, "pairs", MappingProxyType(dict(self.pairs)))

    @cached_property
    def traded(self) -> frozenset[str]:
        """The currencies that are traded directly against another one."""
        fx_pairs = (pair for pair in self.pairs if pair.base in CURRENCIES and pair.quote in CURRENCIES)
        return frozenset(side for pair in fx_pairs for side in (pair.base, pair.quote))

    @cached_property
    def mids(self) -> Mapping[str, float]:
        """The midpoint in the pivot of one unit of each code, the pivot included, as float64."""
        mids = {code: _float_worth(quote, code) for code, quote in self.quotes.items()}
        mids[PIVOT] = 1.0
        return MappingProxyType(mids)

    @cached_property
    def times(self) -> Mapping[str, int]:
        """The market time of each code's quote, in microseconds since 1970."""
        return MappingProxyType({code: unix_us(quote.as_of) for code, quote in self.quotes.items() if code != PIVOT})

    @cached_property
    def derived(self) -> dict[object, object]:
        """What is computed from this book once and used again, by whatever its owner names it with."""
        return {}

    @cached_property
    def sides(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Bid and ask of codes in the pivot, exact; `cross_rates` adds each when it is first needed."""
        return {}

    def leg(self, code: str) -> Quote:
        """Return the quote of `code` against the pivot. Errors: RateUnavailable if no source has delivered one."""
        try:
            return self.quotes[code]
        except KeyError:
            raise self.unavailable(code) from None

    def holds(self, code: str) -> bool:
        """Return whether the book has a price for `code`."""
        return code == PIVOT or code in self.quotes

    def unavailable(self, code: str) -> RateUnavailable:
        """Return the error of a code that the book has no price for."""
        return RateUnavailable(f"No source has delivered a rate for [{code}] yet")

    def exact_mid(self, code: str) -> tuple[int, int]:
        """Return the exact midpoint of one unit of `code` in the pivot as a ratio. Errors: RateUnavailable."""
        return (1, 1) if code == PIVOT else self.leg(code).worth(code).as_integer_ratio()

    @cached_property
    def listed_mids(self) -> Mapping[str, float]:
        """The midpoints of the listed codes, in their order. Errors: RateUnavailable if one has no price."""
        mids = self.mids
        for code in self.listed:
            if code not in mids:
                raise self.unavailable(code)
        return MappingProxyType({code: mids[code] for code in self.listed})

    @cached_property
    def listed_since(self) -> datetime:
        """The market time of the oldest quote of a listed code."""
        times = [self.times[code] for code in self.listed if code != PIVOT]
        return EPOCH + timedelta(microseconds=min(times)) if times else self.as_of


def _float_worth(quote: Quote, code: str) -> float:
    mid = float(quote.mid)
    return mid if code == quote.pair.base else 1 / mid
