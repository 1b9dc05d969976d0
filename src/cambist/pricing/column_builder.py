"""Write the quotes of rate books into columns: each instrument keeps its slot, and only new quotes cost time."""

from __future__ import annotations

from fractions import Fraction
from itertools import compress
from operator import is_, is_not

from cambist.pricing.book_columns import (
    ASK_EXACT,
    BID_EXACT,
    COLUMNS,
    MADE,
    PACES,
    PRESENT,
    BookColumns,
    block_size,
    capacity_for,
)
from cambist.pricing.book_tables import BookNames, BookOrigins, QuoteName
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.scaled import scaled, scaled_floats
from cambist.pricing.unix_time import unix_us

_COLUMN_NAMES = tuple(name for name, _ in COLUMNS)
_MADE = {made: number for number, made in enumerate(MADE)}
_PACES = {pace: number for number, pace in enumerate(PACES)}
_MOST_ORIGINS = 20_000
"""How many lists of sources or of legs there may be before the columns are begun anew, with those in use."""

_Named = tuple[QuoteName, Quote]


class ColumnBuilder:
    """Writes one rate book after another into the same columns."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._written: tuple[list[QuoteName], list[Quote]] = [], []
        self._quotes: dict[QuoteName, Quote] = {}
        self._slots: dict[QuoteName, int] = {}
        self._instruments: list[tuple[QuoteName, Pair]] = []
        self._has_new_names = True
        self._sources: dict[tuple[str, ...], int] = {(): 0}
        self._legs: dict[tuple[Pair, ...], int] = {(): 0}
        names, origins, capacity = BookNames(()), BookOrigins(), capacity_for(0)
        self._columns = BookColumns(bytearray(block_size(capacity)), capacity, names, origins)

    def write(self, book: QuotedBook) -> BookColumns:
        """Return the columns of a rate book, which stay as they are until the next is written."""
        if max(len(self._sources), len(self._legs)) > _MOST_ORIGINS:
            self._begin()
        names: list[QuoteName] = [*book.quotes, *book.pairs]
        quotes = [*book.quotes.values(), *book.pairs.values()]
        if len(names) == len(self._written[0]) and all(map(is_, names, self._written[0])):
            positions = list(compress(range(len(names)), map(is_not, quotes, self._written[1])))
            changed = [(names[position], quotes[position]) for position in positions]
        else:
            both = zip(names, quotes, strict=True)
            changed = [(name, quote) for name, quote in both if self._quotes.get(name) is not quote]
            self._remove_all_but(names)
        self._assign_slots(changed)
        for name, quote in changed:
            self._write_quote(self._slots[name], quote)
            self._quotes[name] = quote
        self._written = names, quotes
        self._update_tables(book)
        return self._columns

    def _remove_all_but(self, names: list[QuoteName]) -> None:
        for name in self._quotes.keys() - set(names):
            del self._quotes[name]
            self._columns.flags[self._slots[name]] = 0

    def _assign_slots(self, changed: list[_Named]) -> None:
        """Give each new instrument a slot, and note which pair is quoted there."""
        for name, quote in changed:
            slot = self._slots.setdefault(name, len(self._instruments))
            if slot == len(self._instruments):
                self._instruments.append((name, quote.pair))
            elif self._instruments[slot][1] != quote.pair:
                self._instruments[slot] = (name, quote.pair)
            else:
                continue
            self._has_new_names = True
        capacity = capacity_for(len(self._instruments))
        if capacity > self._columns.capacity:
            self._columns = _enlarged(self._columns, capacity)

    def _write_quote(self, slot: int, quote: Quote) -> None:
        columns, origin = self._columns, quote.origin
        bid, bid_power, is_bid_exact = scaled(quote.bid)
        ask, ask_power, is_ask_exact = scaled(quote.ask)
        if is_bid_exact and is_ask_exact:
            floats = scaled_floats(bid, bid_power, ask, ask_power)
        else:
            floats = _floats(quote.bid, quote.ask)
        columns.bid[slot], columns.ask[slot], columns.mid[slot] = floats
        columns.bid_digits[slot], columns.bid_power[slot] = bid, bid_power
        columns.ask_digits[slot], columns.ask_power[slot] = ask, ask_power
        columns.as_of[slot], columns.received_at[slot] = unix_us(quote.as_of), unix_us(quote.received_at)
        own_as_of = quote.own_as_of
        columns.own_as_of[slot] = columns.as_of[slot] if own_as_of is quote.as_of else unix_us(own_as_of)
        columns.made[slot], columns.pace[slot] = _MADE[origin.made], _PACES[origin.pace]
        columns.sources[slot], columns.legs[slot] = self._indexes(origin)
        columns.flags[slot] = PRESENT | (BID_EXACT if is_bid_exact else 0) | (ASK_EXACT if is_ask_exact else 0)

    def _indexes(self, origin: Origin) -> tuple[int, int]:
        return (
            self._sources.setdefault(origin.sources, len(self._sources)),
            self._legs.setdefault(origin.legs, len(self._legs)),
        )

    def _update_tables(self, book: QuotedBook) -> None:
        """Replace the tables that have changed; those that have not stay the same objects."""
        columns = self._columns
        names, origins = columns.names, columns.origins
        if (len(self._sources), len(self._legs)) != (len(origins.sources), len(origins.legs)):
            origins = BookOrigins(tuple(self._sources), tuple(self._legs))
        if self._has_new_names or (names.listed, names.venue_pairs) != (book.listed, book.venue_pairs):
            names = BookNames(tuple(self._instruments), book.listed, book.venue_pairs)
            self._has_new_names = False
        if names is not columns.names or origins is not columns.origins:
            self._columns = BookColumns(columns.block, columns.capacity, names, origins)


def _floats(bid: Fraction, ask: Fraction) -> tuple[float, float, float]:
    """Return bid, ask and their exact half, each rounded once."""
    bid_units, ask_units = bid.numerator * ask.denominator, ask.numerator * bid.denominator
    return float(bid), float(ask), (bid_units + ask_units) / (2 * bid.denominator * ask.denominator)


def _enlarged(columns: BookColumns, capacity: int) -> BookColumns:
    """Return columns with space for more slots."""
    larger = BookColumns(bytearray(block_size(capacity)), capacity, columns.names, columns.origins)
    for name in _COLUMN_NAMES:
        getattr(larger, name)[: columns.capacity] = getattr(columns, name)
    return larger
