"""The rate book: all latest quotes at one moment, as one immutable value with a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from cambist.errors import RateUnavailable
from cambist.pricing.book_columns import PACES, PRESENT, BookColumns
from cambist.pricing.book_tables import QuoteName
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.column_quotes import ColumnQuotes
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.unavailable import not_heard
from cambist.pricing.unix_time import EPOCH, unix_us
from cambist.reference.minor_units import CURRENCY_CODES
from cambist.reference.packaged import manifest

X = TypeVar("X", int, float)

RECENT = timedelta(days=14)
"""How far a currency may be behind the newest one and still be live, listed (ADR 6), or override a peg."""

RECENT_OF_PACKAGE = timedelta(days=90)
"""The same while nothing newer is known than the histories that come with the package: they end on different days."""


def live_since(as_of: datetime) -> datetime:
    """Return since when a currency must have a rate to be live, given the newest market time of any."""
    return as_of - (RECENT_OF_PACKAGE if as_of.date() == manifest().until else RECENT)


class PairPrice(NamedTuple):
    """The midpoint of a pair that is traded directly, with its two market times as a `Quote` has them."""

    pair: Pair
    mid: float
    as_of: datetime
    own_as_of: datetime
    pace: Pace


@dataclass(frozen=True, eq=False)
class RateBook:
    """All latest quotes at one moment, over columns that must not change any more.

    `quotes` has one quote for each code, against the pivot (either way round). `listed` has the codes that responses
    about all currencies contain, sorted; others are returned when they are requested by name (ADR 6).
    `pairs` has the quotes of pairs that are traded directly, as their sources quote them; `venue_pairs` names all pairs
    that venues list, quoted or not. `as_of` is the newest market time of a currency.

    A currency whose quote is more than `RECENT` behind the newest one is not live: `quotes` still has it, for
    explanations, but there is no price of it (`leg`, `mids`, `holds`), so that the legs of a cross rate never lie years
    apart.

    A quote is built when it is first asked for, without its votes. `mids`, `times`, `traded` and `sources` build none.
    """

    version: int
    as_of: datetime
    columns: BookColumns
    edition: str = ""
    """Names this book to clients, the same on every node; empty for a book that was not published."""

    @classmethod
    def of(cls, quoted: QuotedBook) -> RateBook:
        """Return the rate book of these quotes."""
        return cls(quoted.version, quoted.as_of, ColumnBuilder().write(quoted))

    def quoted(self) -> QuotedBook:
        """Return all quotes as plain data."""
        quotes, pairs = dict(self.quotes), dict(self.pairs)
        return QuotedBook(self.version, self.as_of, quotes, self.listed, pairs, self.venue_pairs)

    @cached_property
    def quotes(self) -> ColumnQuotes[str]:
        """The quote of each code."""
        return ColumnQuotes(self.columns, self.columns.names.codes)

    @cached_property
    def pairs(self) -> ColumnQuotes[Pair]:
        """The quote of each pair that is traded directly."""
        return ColumnQuotes(self.columns, self.columns.names.pairs)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The codes that responses about all currencies contain, sorted."""
        return self.columns.names.listed

    @property
    def venue_pairs(self) -> frozenset[Pair]:
        """All pairs that venues list, quoted or not."""
        return self.columns.names.venue_pairs

    @cached_property
    def traded(self) -> frozenset[str]:
        """The currencies that are traded directly against another one."""
        flags = self.columns.flags
        fx_pairs = [pair for pair, slot in self.columns.names.fx_pairs.items() if flags[slot] & PRESENT]
        return frozenset(side for pair in fx_pairs for side in (pair.base, pair.quote))

    @property
    def sources(self) -> frozenset[str]:
        """The keys of the sources of all quotes, also of earlier ones over the same columns."""
        return self.columns.origins.keys

    @cached_property
    def mids(self) -> Mapping[str, float]:
        """The midpoint in the pivot of one unit of each code, the pivot included, as float64."""
        mids = self._by_code(self.columns.mid)
        for code in self.columns.names.inverted:
            if code in mids:
                mids[code] = 1 / mids[code]
        for code in self.outdated:
            del mids[code]
        mids[PIVOT] = 1.0
        return MappingProxyType(mids)

    def mid_and_time(self, code: str) -> tuple[float, int] | None:
        """Return what `mids` and `times` have for one code other than the pivot; None if `mids` has nothing.

        It reads the code's slot alone.
        """
        columns = self.columns
        slot = columns.names.codes.get(code)
        if slot is None or not columns.flags[slot] & PRESENT:
            return None
        mid, time = columns.mid[slot], columns.as_of[slot]
        if time < self._live_since and code in CURRENCY_CODES:
            return None
        return (mid if code == columns.names.instruments[slot][1].base else 1 / mid), time

    @cached_property
    def times(self) -> Mapping[str, int]:
        """The market time of each code's quote, in microseconds since 1970."""
        times = self._by_code(self.columns.as_of)
        times.pop(PIVOT, None)
        return MappingProxyType(times)

    def _by_code(self, column: memoryview[X]) -> dict[str, X]:
        """Return a column's values of the codes that have a quote."""
        slots = self.columns.names.codes
        used = max(slots.values(), default=-1) + 1
        flags, values = self.columns.flags[:used].tobytes(), column[:used].tolist()
        if 0 in flags:
            return {code: values[slot] for code, slot in slots.items() if flags[slot] & PRESENT}
        return dict(zip(slots, map(values.__getitem__, slots.values()), strict=True))

    @cached_property
    def derived(self) -> dict[object, object]:
        """What is computed from this book once and used again, by whatever its owner names it with."""
        return {}

    @cached_property
    def sides(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Bid and ask of codes in the pivot, exact; `cross_rates` adds each when it is first needed."""
        return {}

    def changed_since(self, before: RateBook) -> set[QuoteName] | None:
        """Return the codes and pairs whose quotes have changed since an earlier book; None if its slots are others.

        Quotes that were built for the earlier book and have not changed are used again.
        """
        names = self.columns.changed_since(before.columns)
        if names is None:
            return None
        changed = set(names)
        self.quotes.reuse(before.quotes, changed)
        self.pairs.reuse(before.pairs, changed)
        return changed

    def pair_price(self, pair: Pair) -> PairPrice | None:
        """Return the midpoint of a pair that is traded directly, without building its quote; None for any other."""
        slot = self.columns.names.pairs.get(pair)
        return None if slot is None else _price_at(self.columns, slot)

    def code_price(self, code: str) -> PairPrice | None:
        """Return the midpoint of the quote of a code against the pivot, as `pair_price` does."""
        slot = self.columns.names.codes.get(code)
        return None if slot is None else _price_at(self.columns, slot)

    def legs_of(self, code: str) -> tuple[Pair, ...]:
        """Return the pairs that the quote of a code was crossed from, without building it."""
        columns = self.columns
        return columns.origins.legs[columns.legs[columns.names.codes[code]]]

    def leg(self, code: str) -> Quote:
        """Return the quote of `code` against the pivot. Errors: RateUnavailable if there is none that is live."""
        quote = self.quotes.get(code)
        if quote is None or code in self.outdated:
            raise self.unavailable(code)
        return quote

    def holds(self, code: str) -> bool:
        """Return whether the book has a price for `code`."""
        return code == PIVOT or self.mid_and_time(code) is not None

    @cached_property
    def outdated(self) -> frozenset[str]:
        """The currencies that are not live, because their quotes are too far behind the newest one."""
        since = self._live_since
        late = (code for code, time in self.times.items() if time < since)
        return frozenset(code for code in late if code in CURRENCY_CODES)

    @cached_property
    def _live_since(self) -> int:
        return unix_us(live_since(self.as_of))

    def unavailable(self, code: str) -> RateUnavailable:
        """Return the error of a code that the book has no price for."""
        if code in self.outdated:
            last, days = self.quotes[code].as_of, (self.as_of - live_since(self.as_of)).days
            return RateUnavailable(
                f"The newest rate of [{code}] is of [{last:%Y-%m-%d}], more than {days} days behind those of "
                "other currencies: ask for that day with /historical"
            )
        return not_heard(f"No source has delivered a rate for [{code}]")

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


def _price_at(columns: BookColumns, slot: int) -> PairPrice | None:
    """Return the price in a slot, without building its quote; None if it has none."""
    if not columns.flags[slot] & PRESENT:
        return None
    as_of, own = columns.as_of[slot], columns.own_as_of[slot]
    moment = EPOCH + timedelta(microseconds=as_of)
    own_moment = moment if own == as_of else EPOCH + timedelta(microseconds=own)
    return PairPrice(
        columns.names.instruments[slot][1], columns.mid[slot], moment, own_moment, PACES[columns.pace[slot]]
    )
