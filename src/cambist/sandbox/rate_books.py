"""The rate books of the simulated market, built in columns, without a quote object for each price."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

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
from cambist.pricing.book_tables import BookNames, BookOrigins
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.parity import parities_on
from cambist.pricing.quote import Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import ParityQuotes, listed_codes
from cambist.pricing.unix_time import EPOCH, unix_us
from cambist.reference.currency_tables import CURRENCIES
from cambist.sandbox.decimals import Ints, midpoints
from cambist.sandbox.quote_board import Listing, QuoteColumns
from cambist.sandbox.quoting import SANDBOX

_MICROSECOND = timedelta(microseconds=1)


class SimulatedRateBooks:
    """Builds the rate books of one day's listings, one after another.

    Currencies fixed by law are derived; their slots come before those of the listings.
    """

    def __init__(self, listings: tuple[Listing, ...], today: date) -> None:
        self.listings, self.today = listings, today
        rows = {each.name: row for row, each in enumerate(listings)}
        self._currencies = {code: rows[code] for code in CURRENCIES if code in rows}
        self._anchors = {parity.anchor: rows[parity.anchor] for parity in parities_on(today) if parity.anchor in rows}
        self._anchor_quotes: dict[str, Quote] = {}
        self._parities = ParityQuotes()
        self._derived = ColumnBuilder()
        self._last: tuple[RateBook, QuoteColumns] | None = None
        self._tables: tuple[BookNames, BookOrigins, BookNames, BookOrigins] | None = None

    def build(self, quoted: QuoteColumns, version: int, now: datetime, before: RateBook | None = None) -> RateBook:
        """Return the rate book of these quotes. Those that are as in the book `before` keep their time of receiving."""
        quoted = quoted.received_as(self._received_at(quoted, before))
        times = {code: EPOCH + _MICROSECOND * quoted.as_of[row].item() for code, row in self._currencies.items()}
        as_of = max(times.values(), default=now)
        derived = self._derive(quoted, as_of)
        times |= {code: quote.as_of for code, quote in derived.items() if code in CURRENCIES}
        listed = listed_codes(times, as_of, self.today)
        columns = self._joined(self._derived.write(QuotedBook(version, as_of, derived, listed)), quoted)
        book = RateBook(version, as_of, columns)
        self._last = book, quoted
        return book

    def _received_at(self, quoted: QuoteColumns, before: RateBook | None) -> Ints:
        """Return when each quote was received: an unchanged one when it was in the book before."""
        if before is None:
            return quoted.received_at
        if self._last is None or self._last[0] is not before:
            return np.array([_received(quoted, row, before) for row in range(len(self.listings))], np.int64)
        last = self._last[1]
        return np.where(quoted.is_same(last), last.received_at, quoted.received_at)

    def _derive(self, quoted: QuoteColumns, as_of: datetime) -> dict[str, Quote]:
        """Return the quotes of currencies fixed by law. An anchor that did not change stays the same object."""
        anchors = {code: quoted.quote(row) for code, row in self._anchors.items()}
        for code, last in self._anchor_quotes.items():
            if anchors[code] == last:
                anchors[code] = last
        self._anchor_quotes = anchors
        quotes = dict(anchors)
        self._parities.add_to(quotes, self.today, as_of)
        return {code: quote for code, quote in quotes.items() if code not in anchors}

    def _joined(self, derived: BookColumns, quoted: QuoteColumns) -> BookColumns:
        """Return the derived quotes and after them the simulated ones as the columns of one book."""
        names, origins = self._joined_tables(derived)
        first, end = len(derived.names.instruments), len(names.instruments)
        capacity = capacity_for(end)
        columns = BookColumns(bytearray(block_size(capacity)), capacity, names, origins)
        bids, asks = quoted.bids.shortened(), quoted.asks.shortened()
        values = {
            "bid": quoted.bids.floats(),
            "ask": quoted.asks.floats(),
            "mid": midpoints(quoted.bids, quoted.asks),
            "bid_digits": bids.digits,
            "ask_digits": asks.digits,
            "bid_power": bids.exponents,
            "ask_power": asks.exponents,
            "as_of": quoted.as_of,
            "own_as_of": quoted.as_of,
            "received_at": quoted.received_at,
            "sources": origins.sources.index(SANDBOX.sources),
            "legs": origins.legs.index(()),
            "made": MADE.index(SANDBOX.made),
            "pace": PACES.index(SANDBOX.pace),
            "flags": PRESENT | BID_EXACT | ASK_EXACT,
        }
        for name, _ in COLUMNS:
            column = np.asarray(getattr(columns, name))
            column[:first] = np.asarray(getattr(derived, name))[:first]
            column[first:end] = values[name]
        return columns

    def _joined_tables(self, derived: BookColumns) -> tuple[BookNames, BookOrigins]:
        """Return the tables of a book: the same objects while those of the derived quotes are."""
        if self._tables is None or self._tables[0] is not derived.names or self._tables[1] is not derived.origins:
            instruments = (*derived.names.instruments, *((each.name, each.pair) for each in self.listings))
            names = BookNames(instruments, derived.names.listed)
            origins = BookOrigins((*derived.origins.sources, SANDBOX.sources), derived.origins.legs)
            self._tables = derived.names, derived.origins, names, origins
        return self._tables[2:]


def _received(quoted: QuoteColumns, row: int, before: RateBook) -> int:
    """Return when a quote was received: earlier if it was in the book before."""
    name, quote = quoted.listings[row].name, quoted.quote(row)
    last = before.quotes.get(name) if isinstance(name, str) else before.pairs.get(name)
    is_same = last is not None and (last.as_of, last.bid, last.ask) == (quote.as_of, quote.bid, quote.ask)
    return unix_us(last.received_at if last is not None and is_same else quote.received_at)
