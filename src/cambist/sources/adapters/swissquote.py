"""Swissquote: bid and ask of gold, silver, platinum, palladium and the major currency pairs.

Address: `forex-data-feed.swissquote.com`, JSON, one pair per request. The answer does not name the pair; it has one
object per trading platform, with its time (`ts`, milliseconds) and a price for each kind of client (`spreadProfile`,
written premium or Premium).
Direction: quote currency per unit of the base; metals per troy ounce.
Published: at each change. Outside trading hours the answer and its time stay the same.
Oddities: the newest platform's tightest price is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from msgspec import Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.sources.base import PairNames, Redistribution, Schedule, Source, SourceRequest, TickAdapter
from cambist.sources.parsing import PayloadReader

_QUOTES = "https://forex-data-feed.swissquote.com/public-quotes/bboquotes/instrument/"
_METALS = ("XAU/USD", "XAG/USD", "XPT/USD", "XPD/USD", "XAU/EUR", "XAU/GBP", "XAU/CHF", "XAU/AUD")
_CURRENCIES = (
    *("EUR/USD", "GBP/USD", "USD/JPY", "USD/CHF", "AUD/USD", "USD/CAD", "NZD/USD"),
    *("EUR/GBP", "EUR/JPY", "EUR/CHF"),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE, _UNTIL = 10**12, 10**13
"""Milliseconds of thirteen digits: 2001 to 2286."""

_reader = PayloadReader("Swissquote")


class _Price(Struct, rename="camel"):
    spread_profile: str
    bid: Decimal
    ask: Decimal


class _Platform(Struct, rename={"prices": "spreadProfilePrices"}):
    prices: list[_Price]
    ts: int


class SwissquoteAdapter(TickAdapter):
    """Parses the quotes of one pair."""

    source = Source(
        key="swissquote",
        name="Swissquote",
        home="https://www.swissquote.com/",
        terms="https://www.swissquote.com/",
        licence="no terms are stated",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="bid and ask of the four precious metals, of gold in five currencies, and of ten pairs of currencies",
        zone=ZoneInfo("America/New_York"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(
            every=timedelta(seconds=30),
            days=frozenset({6, 0, 1, 2, 3, 4}),  # the market opens on Sunday evening
            pause=timedelta(milliseconds=500),
        ),
        rate_type=RateType.MARKET,
        disabled_reason="Swissquote states no terms for these quotes. Ask it for permission first.",
    )

    def requests(self) -> Sequence[SourceRequest]:
        """Request each pair by itself."""
        return tuple(
            SourceRequest(url=_QUOTES + name, subject=name, content_types=("application/json",))
            for name in _METALS + _CURRENCIES
        )

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse one pair's quote."""
        _ = names
        pair = Pair(*subject.split("/"))
        answer = _reader.json(content, list[_Platform])
        platforms = [(_milliseconds(each, pair), _sides(each, pair)) for each in answer]
        if not platforms:
            raise _reader.broken(f"{pair} has no quote")
        newest = max(moment for moment, _ in platforms)
        sides = [side for moment, own in platforms if moment == newest for side in own]
        bid, ask = min(sides, key=lambda side: side[1] - side[0])
        yield Tick("swissquote", pair, bid, ask, _EPOCH + timedelta(milliseconds=newest))


def _milliseconds(platform: _Platform, pair: Pair) -> int:
    if not _SINCE <= platform.ts < _UNTIL:
        raise _reader.broken(f"{pair} has no time: [{shorten(str(platform.ts))}]")
    return platform.ts


def _sides(platform: _Platform, pair: Pair) -> list[tuple[Decimal, Decimal]]:
    if not platform.prices:
        raise _reader.broken(f"{pair} has a platform without a price")
    return [(_reader.json_number(price.bid, pair), _reader.json_number(price.ask, pair)) for price in platform.prices]


adapter: TickAdapter = SwissquoteAdapter()
