"""Composing a book: published and crossed quotes, then what law ties to them, then what is listed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, parities_on
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.reference.tables import CURRENCIES

RECENT = timedelta(days=14)
"""How far a quote may lie behind the book's newest and still be listed (ADR 6), or stand above a peg."""


def assemble_rate_book(
    quotes: Mapping[str, Quote],
    version: int,
    now: datetime,
    pairs: Mapping[Pair, Quote] | None = None,
    venue_pairs: frozenset[Pair] = frozenset(),
) -> RateBook:
    """Make the book of one moment from one quote a code, each against the pivot, and from the pairs dealt as such."""
    as_of = max((quote.as_of for code, quote in quotes.items() if code in CURRENCIES), default=now)
    complete = dict(quotes)
    for parity in parities_on(now.date()):
        _derive(complete, parity, as_of)
    listed = (
        PIVOT,
        *(code for code, quote in complete.items() if _is_listed(code, quote, as_of, now.date())),
    )
    return RateBook(version, as_of, dict(sorted(complete.items())), tuple(sorted(listed)), pairs or {}, venue_pairs)


def _derive(quotes: dict[str, Quote], parity: Parity, as_of: datetime) -> None:
    """Add what law fixes. A peg yields to what a source publishes of late; a conversion never does (ADR 5)."""
    anchor = _unit(as_of) if parity.anchor == PIVOT else quotes.get(parity.anchor)
    published = quotes.get(parity.code)
    if anchor is None or (parity.made is Derivation.PEGGED and published and _is_recent(published, as_of)):
        return
    quotes[parity.code] = parity.quote(anchor, PIVOT)


def _unit(as_of: datetime) -> Quote:
    """Give the pivot in itself; nobody sent it now, so that the next book says the same where nothing has changed."""
    one = Fraction(1)
    return Quote(Pair(PIVOT, PIVOT), one, one, as_of, as_of, Origin(Derivation.PUBLISHED, ()))


def _is_recent(quote: Quote, as_of: datetime) -> bool:
    return quote.as_of >= as_of - RECENT


def _is_listed(code: str, quote: Quote, as_of: datetime, today: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(today) and _is_recent(quote, as_of)
