"""Offers from fixings: the newest fixing of each currency, from each source, for the consensus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from cambist.history.archive import FixingArchive
from cambist.history.fixing import ReceivedFixing
from cambist.history.latest_fixings import latest_quotes
from cambist.pricing.consensus import Offer
from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import parities_on
from cambist.pricing.quote import Derivation, Quote
from cambist.pricing.source_kind import Pace
from cambist.sources.base import Source

_BEST = -1
"""The rank of a source for its own anchor: the central bank that issues a currency is preferred."""


def daily_offers(archive: FixingArchive, source: Source, rank: int, today: date) -> dict[str, Offer]:
    """Return one source's offer for each current currency; none for a monthly source."""
    if source.pace is Pace.MONTHLY:
        return {}
    newest = archive.latest_fixings(source.key)
    pivots = _pivots(archive, source, {known.fixing.day for known in newest})
    quotes = latest_quotes(newest, pivots, source.anchor, source.market_time, today)
    pegged = {parity.code for parity in parities_on(today) if parity.made is Derivation.PEGGED}
    return {
        code: Offer(
            source=source.key,
            quote=quote,
            pace=source.pace,
            rate_type=source.rate_type,
            rank=_BEST if code in (source.anchor, source.alias) else rank,
            compiled=source.compiled,
        )
        for code, quote in _with_alias(quotes, source)
        if code not in pegged or source.outranks_pegs or code == source.anchor
    }


def _with_alias(quotes: Iterable[tuple[str, Quote]], source: Source) -> Iterator[tuple[str, Quote]]:
    for code, quote in quotes:
        yield code, quote
        if code == source.anchor and source.alias:
            yield source.alias, replace(quote, pair=quote.pair.renamed(source.anchor, source.alias))


def _pivots(archive: FixingArchive, source: Source, days: Iterable[date]) -> list[ReceivedFixing]:
    of_days = (known for day in days for known in archive.fixings_on(source.key, day))
    return [known for known in of_days if PIVOT in (known.fixing.pair.base, known.fixing.pair.quote)]


def offers_by_code(offers: Iterable[Mapping[str, Offer]]) -> dict[str, list[Offer]]:
    """Group the sources' offers by code."""
    gathered: dict[str, list[Offer]] = {}
    for each in offers:
        for code, offer in each.items():
            gathered.setdefault(code, []).append(offer)
    return gathered
