"""Assembling a rate book: published and crossed quotes, then the currencies fixed by law, then the listed codes."""

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
"""How far a quote may be behind the newest one and still be listed (ADR 6), or override a peg."""


def assemble_rate_book(
    quotes: Mapping[str, Quote],
    version: int,
    now: datetime,
    pairs: Mapping[Pair, Quote] | None = None,
    venue_pairs: frozenset[Pair] = frozenset(),
) -> RateBook:
    """Return the rate book of one moment.

    `quotes` has one quote against the pivot for each code, `pairs` the quotes of pairs that are traded directly.
    """
    as_of = max((quote.as_of for code, quote in quotes.items() if code in CURRENCIES), default=now)
    complete = dict(quotes)
    for parity in parities_on(now.date()):
        _derive(complete, parity, as_of)
    listed = (PIVOT, *(code for code, quote in complete.items() if _is_listed(code, quote, as_of, now.date())))
    return RateBook(version, as_of, dict(sorted(complete.items())), tuple(sorted(listed)), pairs or {}, venue_pairs)


def _derive(quotes: dict[str, Quote], parity: Parity, as_of: datetime) -> None:
    """Add a currency fixed by law. A recent published quote overrides a peg, but never a conversion (ADR 5)."""
    anchor = _unit(as_of) if parity.anchor == PIVOT else quotes.get(parity.anchor)
    published = quotes.get(parity.code)
    if anchor is None or (parity.made is Derivation.PEGGED and published and _is_recent(published, as_of)):
        return
    quotes[parity.code] = parity.quote(anchor, PIVOT)


def _unit(as_of: datetime) -> Quote:
    """Return the pivot in itself. It has the time of the other quotes, so that an unchanged book stays equal."""
    one = Fraction(1)
    return Quote(Pair(PIVOT, PIVOT), one, one, as_of, as_of, Origin(Derivation.PUBLISHED, ()))


def _is_recent(quote: Quote, as_of: datetime) -> bool:
    return quote.as_of >= as_of - RECENT


def _is_listed(code: str, quote: Quote, as_of: datetime, today: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(today) and _is_recent(quote, as_of)
