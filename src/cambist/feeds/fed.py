"""The Federal Reserve's H.10 foreign exchange rates, as the St. Louis Fed hands them out without a key.

Noon buying rates in New York, published on Mondays for the week before, since 1971-01-04. Foreign units per dollar, but
dollars per unit of AUD, EUR, GBP and NZD. One CSV a series, `observation_date,DEXJPUS`: in older copies the header was
`DATE,DEXJPUS` and a missing rate `.`; now it is empty. Holidays stand there without a rate; a range without any rate
is one whose week was not published yet. Venezuela's series mixes scales: see `_BOLIVARES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shown
from cambist.feeds.base import FixingFeed, Inquiry, Redistribution, Schedule, Source
from cambist.feeds.reading import Reading
from cambist.history.fixing import Fixing
from cambist.market.pair import Pair
from cambist.market.standing import Pace
from cambist.reference.tables import CURRENCIES, REDENOMINATIONS

_GRAPH = "https://fred.stlouisfed.org/graph/fredgraph.csv"
_FIRST_DAY = date(1971, 1, 4)
_DAY_HEADERS = ("observation_date", "DATE")
_MISSING = ("", ".")
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

_fed = Reading("Federal Reserve")


class FedFeed(FixingFeed):
    """Reads the CSV of one series."""

    source = Source(
        key="fed",
        name="Federal Reserve",
        home="https://www.federalreserve.gov/releases/h10/",
        terms="https://fred.stlouisfed.org/legal/",
        licence="public domain; a citation of the Board and of FRED is asked for",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="22 currencies against the dollar, and those of Venezuela",
        anchor="USD",
        fixed_at=time(12),
        zone=ZoneInfo("America/New_York"),
        first_day=_FIRST_DAY,
        # After a Monday that is a holiday it is Tuesday.
        schedule=Schedule(
            start=time(16, 15), end=time(21), every=timedelta(hours=1), days=frozenset({0, 1}), holidays="US", reread=21
        ),
    )

    def inquiries(self, first: date, last: date) -> Iterator[Inquiry]:
        """Ask for one series after the other."""
        first = max(first, _FIRST_DAY)
        for series in _SERIES if first <= last else ():
            url = f"{_GRAPH}?id={series}&cosd={first}&coed={last}"
            # Downloads from there have gone by several names; none of them was a page's.
            yield Inquiry(url=url, first=first, last=last, about=series, media=("text/csv", "application/"))

    def read(self, content: bytes, about: str = "") -> Iterator[Fixing]:
        """Read one series, which has to be the one asked for."""
        series, rows = _table(_fed.text(content, "ascii"))
        if series not in _SERIES or about not in ("", series):
            raise _fed.broken(f"the series is [{shown(series)}] instead of [{about}]")
        seen: set[date] = set()
        found = 0
        for text, cell in rows:
            day = _fed.once(seen, _fed.day(text, since=_FIRST_DAY))
            if cell not in _MISSING:
                found += 1
                with _fed.cell:
                    yield _fixing(series, day, _fed.number(cell, f"{series} on {day}"))
        if not found:
            raise NothingPublished(f"Federal Reserve: {series} has no rate for the days asked")


def _table(text: str) -> tuple[str, Iterator[tuple[str, str]]]:
    """Give the series' name, and its lines as day and cell."""
    header, *lines = text.replace("\r\n", "\n").split("\n")
    day, _, series = header.partition(",")
    if day not in _DAY_HEADERS or not lines or lines[-1]:
        raise _fed.broken(f"the file does not begin with its header and end with a line: [{shown(header)}]")
    return series, map(_cells, lines[:-1])


def _cells(line: str) -> tuple[str, str]:
    cells = line.split(",")
    if len(cells) != 2:
        raise _fed.broken(f"a line has {len(cells)} cells instead of 2: [{shown(line)}]")
    return cells[0], cells[1]


def _fixing(series: str, day: date, value: Decimal) -> Fixing:
    if series != _VENEZUELA:
        return Fixing("fed", _SERIES[series], day, value)
    era = next(era for era in _BOLIVARES if day <= era.last)
    if not era.above < value < era.below:
        raise _fed.broken(f"{series} on {day} is [{value}], which is not in the scale known of it")
    return Fixing("fed", Pair("USD", era.code), day, value.scaleb(era.places))


feed: FixingFeed = FedFeed()
