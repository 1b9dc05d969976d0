"""The Federal Reserve's H.10 foreign exchange rates, through the St. Louis Fed's interface for those with a key.

The same noon buying rates in New York as the feed `fed` reads without a key: foreign units per dollar, but dollars per
unit of AUD, EUR, GBP and NZD, since 1971-01-04. One JSON a series, which does not say which series it is; holidays
stand there as `.`; a range without any rate is one whose week was not published yet. Venezuela's series mixes scales:
see `_BOLIVARES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished, shown
from cambist.feeds.base import FixingFeed, Inquiry, Redistribution, Schedule, Source
from cambist.feeds.reading import Reading
from cambist.history.fixing import Fixing
from cambist.market.pair import Pair
from cambist.market.standing import Pace
from cambist.reference.tables import CURRENCIES, REDENOMINATIONS

_OBSERVATIONS = "https://api.stlouisfed.org/fred/series/observations"
_FIRST_DAY = date(1971, 1, 4)
_MISSING = "."
_VENEZUELA = "DEXVZUS"

_SERIES = {
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
class _Era:
    """To `last` the money was `code`; the series' point is moved by so many places to be in its scale."""

    last: date
    code: str
    places: int = 0
    above: Decimal = Decimal(0)
    below: Decimal = Decimal("Infinity")


_ONE_DAY = timedelta(days=1)
_NEW_BOLIVAR = next(change.first_day for change in REDENOMINATIONS if change.old == change.new == "VES")
_BOLIVARES = (
    # Years of bolívares were restated in the bolívares fuertes of 2008.
    _Era(CURRENCIES["VEF"].first_day - _ONE_DAY, "VEB", places=3, below=Decimal(10)),
    _Era(CURRENCIES["VES"].first_day - _ONE_DAY, "VEF"),
    _Era(_NEW_BOLIVAR - _ONE_DAY, "VES"),
    # The new bolívar began on a Friday whose rate was still published in the old one.
    _Era(_NEW_BOLIVAR, "VES", places=-6, above=Decimal(1_000_000)),
    _Era(date.max, "VES"),
)

_fred = Reading("FRED")


class _Observation(msgspec.Struct):
    date: str
    value: str


class _Answer(msgspec.Struct):
    """`units` says what was done to the values: `lin` is nothing."""

    units: str
    count: int
    offset: int
    observations: list[_Observation]


class FredFeed(FixingFeed):
    """Reads the JSON of one series."""

    source = Source(
        key="fred",
        name="Federal Reserve (FRED API)",
        home="https://fred.stlouisfed.org/docs/api/fred/",
        terms="https://fred.stlouisfed.org/docs/api/terms_of_use.html",
        licence="public domain; a citation of the Board and of FRED is asked for",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="22 currencies against the dollar, and those of Venezuela",
        anchor="USD",
        fixed_at=time(12),
        zone=ZoneInfo("America/New_York"),
        first_day=_FIRST_DAY,
        setting="fred_key",
        why_off="needs a key of one's own (setting fred_key)",
        # After a Monday that is a holiday it is Tuesday.
        schedule=Schedule(
            start=time(16, 15), end=time(21), every=timedelta(hours=1), days=frozenset({0, 1}), holidays="US", reread=21
        ),
    )

    def inquiries(self, first: date, last: date) -> Iterator[Inquiry]:
        """Ask for one series after the other."""
        first = max(first, _FIRST_DAY)
        for series in _SERIES if first <= last else ():
            url = (
                f"{_OBSERVATIONS}?series_id={series}&api_key={{key}}&file_type=json"
                f"&observation_start={first}&observation_end={last}"
            )
            yield Inquiry(url=url, first=first, last=last, about=series, media=("application/json",))

    def read(self, content: bytes, about: str = "") -> Iterator[Fixing]:
        """Read one series: the one that was asked for, which the answer does not name."""
        answer = _fred.json(content, _Answer)
        if about not in _SERIES:
            raise _fred.broken(f"nobody knows whether [{shown(about)}] is a daily rate")
        if (answer.units, answer.offset, answer.count) != ("lin", 0, len(answer.observations)):
            raise _fred.broken(f"{about} is not whole or not as published: {answer.count} rates in [{answer.units}]")
        seen: set[date] = set()
        found = 0
        for each in answer.observations:
            day = _fred.once(seen, _fred.day(each.date, since=_FIRST_DAY))
            if each.value != _MISSING:
                found += 1
                with _fred.cell:
                    yield _fixing(about, day, _fred.number(each.value, f"{about} on {day}"))
        if not found:
            raise NothingPublished(f"FRED: {about} has no rate for the days asked")


def _fixing(series: str, day: date, value: Decimal) -> Fixing:
    if series != _VENEZUELA:
        return Fixing("fred", _SERIES[series], day, value)
    era = next(era for era in _BOLIVARES if day <= era.last)
    if not era.above < value < era.below:
        raise _fred.broken(f"{series} on {day} is [{value}], which is not in the scale known of it")
    return Fixing("fred", Pair("USD", era.code), day, value.scaleb(era.places))


feed: FixingFeed = FredFeed()
