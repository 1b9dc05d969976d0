"""Quotes over the columns of a rate book: each is built when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from cambist.pricing.book_columns import ASK_EXACT, BID_EXACT, MADE, PACES, PRESENT, BookColumns
from cambist.pricing.book_tables import QuoteName
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Origin, Quote
from cambist.pricing.scaled import unscaled
from cambist.pricing.unix_time import EPOCH

N = TypeVar("N", str, Pair)


class ColumnQuotes(Mapping[N, Quote]):
    """The quotes of some slots by name, read only. Their votes are not in the columns."""

    __slots__ = ("_built", "_columns", "_slots")

    def __init__(self, columns: BookColumns, slots: Mapping[N, int]) -> None:
        self._columns = columns
        self._slots: Mapping[Any, int] = slots
        self._built: dict[N, Quote] = {}

    def __getitem__(self, name: N) -> Quote:
        quote = self._built.get(name)
        if quote is None:
            slot = self._slots[name]
            if not self._columns.flags[slot] & PRESENT:
                raise KeyError(name)
            quote = self._built.setdefault(name, quote_at(self._columns, slot))
        return quote

    def __contains__(self, name: object) -> bool:
        slot = self._slots.get(name)
        return slot is not None and bool(self._columns.flags[slot] & PRESENT)

    def __iter__(self) -> Iterator[N]:
        flags = self._columns.flags
        return (name for name, slot in self._slots.items() if flags[slot] & PRESENT)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def reuse(self, before: ColumnQuotes[N], changed: Collection[QuoteName]) -> None:
        """Use the quotes that were built from earlier columns, but for those that have changed."""
        self._built |= {name: quote for name, quote in before._built.items() if name not in changed}


def quote_at(columns: BookColumns, slot: int) -> Quote:
    """Return the quote of a slot."""
    flags, as_of, own, origins = columns.flags[slot], columns.as_of[slot], columns.own_as_of[slot], columns.origins
    sources, legs = origins.sources[columns.sources[slot]], origins.legs[columns.legs[slot]]
    return Quote(
        pair=columns.names.instruments[slot][1],
        bid=unscaled(columns.bid_digits[slot], columns.bid_power[slot], is_exact=bool(flags & BID_EXACT)),
        ask=unscaled(columns.ask_digits[slot], columns.ask_power[slot], is_exact=bool(flags & ASK_EXACT)),
        as_of=_moment(as_of),
        received_at=_moment(columns.received_at[slot]),
        origin=_origin(columns.made[slot], sources, legs, columns.pace[slot]),
        own_time=None if own == as_of else _moment(own),
    )


# Many quotes of a book have the same times, and a quote's origin is that of the book before.
@lru_cache(maxsize=4096)
def _moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


@lru_cache(maxsize=4096)
def _origin(made: int, sources: tuple[str, ...], legs: tuple[Pair, ...], pace: int) -> Origin:
    return Origin(MADE[made], sources, legs, pace=PACES[pace])
