"""Assembling a rate book: published and crossed quotes, then the currencies fixed by law, then the listed codes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, parities_on
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import live_since
from cambist.pricing.unix_time import EPOCH
from cambist.reference.currency_tables import CURRENCIES

_ONE = Fraction(1)
_UNIT_ORIGIN = Origin(Derivation.PUBLISHED, ())


def assemble_rate_book(
    quotes: Mapping[str, Quote],
    version: int,
    now: datetime,
    pairs: Mapping[Pair, Quote] | None = None,
    venue_pairs: frozenset[Pair] = frozenset(),
) -> QuotedBook:
    """Return the rate book of one moment.

    `quotes` has one quote against the pivot for each code, `pairs` the quotes of pairs that are traded directly.
    """
    return RateBookAssembler().assemble(quotes, version, now, pairs or {}, venue_pairs)


class ParityQuotes:
    """Derives the quotes of currencies fixed by law. While its anchor stays the same, a quote is the same object."""

    def __init__(self) -> None:
        self._derived: dict[str, tuple[Parity, Quote, Quote]] = {}
        self._unit = Quote(Pair(PIVOT, PIVOT), _ONE, _ONE, EPOCH, EPOCH, _UNIT_ORIGIN)

    def add_to(self, quotes: dict[str, Quote], today: date, as_of: datetime) -> None:
        """Add the currencies fixed by law. A recent published quote overrides a peg, but never a conversion (ADR 5)."""
        if self._unit.as_of != as_of:
            # The pivot in itself has the time of the other quotes, so that an unchanged book stays equal.
            self._unit = _at(self._unit, as_of, as_of)
        for parity in parities_on(today):
            anchor = self._unit if parity.anchor == PIVOT else quotes.get(parity.anchor)
            published = quotes.get(parity.code)
            is_pegged = parity.made is Derivation.PEGGED
            if anchor is not None and not (is_pegged and published and _is_recent(published, as_of)):
                quotes[parity.code] = self._derive(parity, anchor)

    def _derive(self, parity: Parity, anchor: Quote) -> Quote:
        last_parity, last_anchor, quote = self._derived.get(parity.code, (None, anchor, anchor))
        if last_parity is not parity or not _is_same_price(anchor, last_anchor):
            quote = parity.quote(anchor, PIVOT)
        elif anchor is not last_anchor:
            quote = _at(quote, anchor.as_of, anchor.received_at)
        self._derived[parity.code] = parity, anchor, quote
        return quote


def _is_same_price(quote: Quote, other: Quote) -> bool:
    """Return whether two quotes have the very same sides and origin."""
    return quote.bid is other.bid and quote.ask is other.ask and quote.origin is other.origin


def _at(quote: Quote, as_of: datetime, received_at: datetime) -> Quote:
    return Quote(quote.pair, quote.bid, quote.ask, as_of, received_at, quote.origin)


class RateBookAssembler:
    """Assembles one rate book after another."""

    def __init__(self) -> None:
        self._parity_quotes = ParityQuotes()
        self._sorted: tuple[str, ...] = ()

    def assemble(
        self,
        quotes: Mapping[str, Quote],
        version: int,
        now: datetime,
        pairs: Mapping[Pair, Quote],
        venue_pairs: frozenset[Pair],
    ) -> QuotedBook:
        """Return the rate book of one moment."""
        as_of = max((quotes[code].as_of for code in CURRENCIES if code in quotes), default=now)
        complete = dict(quotes)
        self._parity_quotes.add_to(complete, now.date(), as_of)
        listed = listed_codes(
            {code: complete[code].as_of for code in CURRENCIES if code in complete}, as_of, now.date()
        )
        if len(complete) != len(self._sorted) or not all(map(complete.__contains__, self._sorted)):
            self._sorted = tuple(sorted(complete))
        return QuotedBook(version, as_of, {code: complete[code] for code in self._sorted}, listed, pairs, venue_pairs)


def listed_codes(times: Mapping[str, datetime], as_of: datetime, today: date) -> tuple[str, ...]:
    """Return the pivot and the currencies that live on a day and have a recent quote, by the times of their quotes."""
    since = live_since(as_of)
    recent = [code for code, time in times.items() if CURRENCIES[code].lives_on(today) and time >= since]
    return tuple(sorted([PIVOT, *recent]))


def _is_recent(quote: Quote, as_of: datetime) -> bool:
    return quote.as_of >= live_since(as_of)
