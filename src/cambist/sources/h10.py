"""The shared parts of the two adapters of the Federal Reserve's H.10 rates: the series, and how to parse one.

Noon buying rates in New York, published on Mondays for the week before, since 1971-01-04. Foreign units per dollar, but
dollars per unit of AUD, EUR, GBP and NZD. Holidays are listed without a rate; a range without any rate is one whose
week is not published yet. Venezuela's series mixes scales: see `_BOLIVARES`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES, REDENOMINATIONS
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_FIRST_DAY = date(1971, 1, 4)
_VENEZUELA = "DEXVZUS"

SERIES = {
    "DEXUSAL": Pair("AUD", "USD"),
    "DEXBZUS": Pair("USD", "BRL"),
    "DEXCAUS": Pair("USD", "CAD"),
    "DEXSZUS": Pair("USD", "CHF"),
    "DEXCHUS": Pair("USD", "CNY"),
    "DEXDNUS": Pair("USD", "DKK"),
    "DEXUSEU": Pair("EUR", "USD"),
    "DEXUSUK": Pair("GBP", "USD"),
    "DEXHKUS": Pair("USD", "HKD"),
    "DEXINUS": Pair("USD", "INR"),
    "DEXJPUS": Pair("USD", "JPY"),
    "DEXKOUS": Pair("USD", "KRW"),
    "DEXSLUS": Pair("USD", "LKR"),
    "DEXMXUS": Pair("USD", "MXN"),
    "DEXMAUS": Pair("USD", "MYR"),
    "DEXNOUS": Pair("USD", "NOK"),
    "DEXUSNZ": Pair("NZD", "USD"),
    "DEXSDUS": Pair("USD", "SEK"),
    "DEXSIUS": Pair("USD", "SGD"),
    "DEXTHUS": Pair("USD", "THB"),
    "DEXTAUS": Pair("USD", "TWD"),
    _VENEZUELA: Pair("USD", "VES"),
    "DEXSFUS": Pair("USD", "ZAR"),
}


@dataclass(frozen=True, slots=True)
class _Scale:
    """Up to `last` the currency was `code`. Ten to the power of `places` times a value is in its units."""

    last: date
    code: str
    places: int = 0
    above: Decimal = Decimal(0)
    below: Decimal = Decimal("Infinity")


_ONE_DAY = timedelta(days=1)
_NEW_BOLIVAR = next(change.first_day for change in REDENOMINATIONS if change.old == change.new == "VES")
_BOLIVARES = (
    # Years of bolívares were restated in the bolívares fuertes of 2008.
    _Scale(CURRENCIES["VEF"].first_day - _ONE_DAY, "VEB", places=3, below=Decimal(10)),
    _Scale(CURRENCIES["VES"].first_day - _ONE_DAY, "VEF"),
    _Scale(_NEW_BOLIVAR - _ONE_DAY, "VES"),
    # The new bolívar began on a Friday whose rate was still published in the old one.
    _Scale(_NEW_BOLIVAR, "VES", places=-6, above=Decimal(1_000_000)),
    _Scale(date.max, "VES"),
)


def h10_source(**own: Any) -> Source:
    """Return the facts of a source of these rates; `own` are those in which the two differ."""
    return Source(
        licence="public domain; a citation of the Board and of FRED is asked for",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="22 currencies against the dollar, and those of Venezuela",
        anchor="USD",
        fixed_at=time(12),
        zone=ZoneInfo("America/New_York"),
        first_day=_FIRST_DAY,
        # If Monday is a holiday, the rates come on Tuesday.
        schedule=Schedule(
            start=time(16, 15),
            end=time(21),
            every=timedelta(hours=1),
            days=frozenset({0, 1}),
            holidays="US",
            reread_days=21,
        ),
        **own,
    )


class H10Adapter(FixingAdapter):
    """An adapter of the H.10 rates, one series per request. `missing` are the texts that mean "no rate"."""

    reader: PayloadReader
    content_types: tuple[str, ...]
    missing: tuple[str, ...]

    @abstractmethod
    def url(self, series: str, first: date, last: date) -> str:
        """Return the address of these days of a series."""

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request one series after the other."""
        first = max(first, _FIRST_DAY)
        for series in SERIES if first <= last else ():
            yield SourceRequest(
                url=self.url(series, first, last),
                first=first,
                last=last,
                subject=series,
                content_types=self.content_types,
            )

    def fixings(self, series: str, rows: Iterable[tuple[str, str]]) -> Iterator[Fixing]:
        """Parse the days and values of a series. Errors: NothingPublished if there is no value."""
        seen: set[date] = set()
        found = 0
        for text, cell in rows:
            day = self.reader.unique(seen, self.reader.day(text, since=_FIRST_DAY))
            if cell not in self.missing:
                found += 1
                with self.reader.cell:
                    yield self._fixing(series, day, self.reader.number(cell, f"{series} on {day}"))
        if not found:
            raise NothingPublished(f"{self.reader.name}: {series} has no rate for the days asked")

    def _fixing(self, series: str, day: date, value: Decimal) -> Fixing:
        if series != _VENEZUELA:
            return Fixing(self.source.key, SERIES[series], day, value)
        scale = next(scale for scale in _BOLIVARES if day <= scale.last)
        if not scale.above < value < scale.below:
            raise self.reader.broken(f"{series} on {day} is [{value}], which is not in the scale known of it")
        return Fixing(self.source.key, Pair("USD", scale.code), day, value.scaleb(scale.places))
