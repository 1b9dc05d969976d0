"""LBMA: prices of the London bullion auctions.

Address: `prices.lbma.org.uk`, one JSON per metal with its whole history: `{"d": day, "v": [dollars, pounds, euros]}`,
oldest first.
Direction: dollars per fine troy ounce, loco London.
Published: after the afternoon auction of gold, platinum and palladium, and after the only auction of silver.
Oddities: pounds and euros are missing, zero or wrong on many days and are not used. There are no auctions at
weekends; the one weekend day in the file is a known error and is left out. Many clients get a 403.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import WEEKDAYS, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PRICES = "https://prices.lbma.org.uk/json"
_FIRST_DAY = date(1968, 1, 2)
_PAIRS = {
    "gold_pm": Pair("XAU", "USD"),
    "silver": Pair("XAG", "USD"),
    "platinum_pm": Pair("XPT", "USD"),
    "palladium_pm": Pair("XPD", "USD"),
}
_BAD = frozenset({("silver", date(1983, 2, 5))})
"""A Saturday, at half the price of the days around it."""

_CURRENCIES = 3

_reader = PayloadReader("LBMA")


class _Row(Struct):
    d: str
    v: list[Raw]


class LbmaAdapter(FixingAdapter):
    """Parses one metal's history; `subject` is the name of its file."""

    source = Source(
        key="lbma",
        name="LBMA precious metal prices",
        home="https://www.lbma.org.uk/prices-and-data/precious-metal-prices",
        terms="https://www.ice.com/iba/lbma-gold-silver-price",
        licence="a licence of the ICE Benchmark Administration is needed, for own use, too",
        redistribution=Redistribution.FORBIDDEN,
        pace=Pace.DAILY,
        covers="gold, silver, platinum and palladium in dollars: the prices of the London auctions",
        fixed_at=time(15),
        zone=ZoneInfo("Europe/London"),
        first_day=_FIRST_DAY,
        rate_type=RateType.MARKET,
        schedule=Schedule(start=time(15, 30), end=time(20), every=timedelta(hours=1), holidays="XLON"),
        disabled_reason="The LBMA's prices need a licence of the ICE Benchmark Administration (IBA).",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each metal's whole history; nothing shorter exists."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            for name in _PAIRS:
                yield SourceRequest(url=f"{_PRICES}/{name}.json", first=start, last=last, subject=name)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one metal's dollar prices, oldest day first."""
        pair = _PAIRS.get(subject)
        if pair is None:
            raise _reader.broken(f"[{subject}] is none of the prices that are asked for")
        seen: set[date] = set()
        priced = False
        for row in _reader.json(content, list[_Row]):
            day = _reader.unique(seen, _reader.day(row.d, since=_FIRST_DAY))
            if (subject, day) in _BAD:
                continue
            if day.weekday() not in WEEKDAYS:
                raise _reader.broken(f"{pair} has a price of {day}, on which no auction was held")
            if len(row.v) != _CURRENCIES:
                raise _reader.broken(f"{pair} on {day} has {len(row.v)} prices instead of {_CURRENCIES}")
            priced = True
            with _reader.cell:
                yield Fixing("lbma", pair, day, _reader.json_number(row.v[0], f"{pair} on {day}"))
        if not priced:
            raise _reader.broken("the file holds no price")


adapter: FixingAdapter = LbmaAdapter()
