"""Deutsche Bundesbank: the official fixings of the Frankfurt exchange, 1948-06-21 to 1998-12-30.

Address: the bank's statistics API (series BBEX3), CSV with semicolons and a byte-order mark. Each series ends with a
blank line.
Direction: German marks per foreign currency, the middle rate. Only the German title says per how many units: `100 ATS
= ... DEM`, `1 000 ITL = ... DEM`.
Published: never again; the series are closed. The fixing was at 13:00 in Frankfurt.
Oddities: a day without a fixing has a point as its value. Weeks without fixings (May and August 1971, June 1972,
February and March 1973) are real: the market was shut. After 1998 series of the same name contain the ECB's rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_SERIES = "https://api.statistiken.bundesbank.de/rest/data/BBEX3/D..DEM.AA.AC.000"
_FIRST_DAY = date(1948, 6, 21)
_LAST_DAY = date(1998, 12, 30)
_MISSING = "."
_HEADER = (
    "DATAFLOW;BBK_STD_FREQ;BBK_STD_CURRENCY;BBK_ERX_PARTNER_CURRENCY;BBK_ERX_SERIES_TYPE;BBK_ERX_RATE_TYPE;"
    "BBK_ERX_SUFFIX;TIME_PERIOD;OBS_VALUE;TIME_FORMAT;BBK_DECIMALS;BBK_ID;BBK_UNIT;BBK_UNIT_MULT;BBK_TITLE;"
    "WEB_CATEGORY;BBK_COMM_GEN;BBK_DIFF;OBS_STATUS"
)
_COLUMNS = _HEADER.split(";")
_CURRENCY, _DAY, _VALUE, _TITLE = (
    _COLUMNS.index(name) for name in ("BBK_STD_CURRENCY", "TIME_PERIOD", "OBS_VALUE", "BBK_TITLE")
)
_SAME = {
    "DATAFLOW": "BBK:BBEX3(1.0)",
    "BBK_STD_FREQ": "D",
    "BBK_ERX_PARTNER_CURRENCY": "DEM",
    "BBK_ERX_SERIES_TYPE": "AA",
    "BBK_ERX_RATE_TYPE": "AC",
    "BBK_ERX_SUFFIX": "000",
    "BBK_UNIT": "DEM",
    "BBK_UNIT_MULT": "0",
}
"""The values that all lines share: daily, in marks, middle rate of the exchange."""

_NOMINAL = re.compile(r"[^/]* / ([0-9]{1,3}(?: [0-9]{3})*) ([A-Z]{3}) = \.\.\. DEM / [^/]*", re.ASCII)

_reader = PayloadReader("Bundesbank")


class BbkAdapter(FixingAdapter):
    """Parses the CSV of all series over some days."""

    source = Source(
        key="bbk",
        name="Deutsche Bundesbank",
        home="https://www.bundesbank.de/en/statistics/exchange-rates",
        terms="https://www.bundesbank.de/de/startseite/benutzerhinweise/nutzungsbedingungen-fuer-den-allgemeinen-gebrauch-der-website-763554",
        licence="free reuse with attribution",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="18 currencies against the German mark until 1998",
        anchor="DEM",
        brings=("ATS", "BEF", "ESP", "FIM", "FRF", "IEP", "ITL", "LUF", "NLG", "PTE"),
        fixed_at=time(13),
        zone=ZoneInfo("Europe/Berlin"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(8), end=time(18), every=timedelta(days=1), pause=timedelta(seconds=2)),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request a calendar year at a time (some megabytes), up to the last fixing."""
        start, end = max(first, _FIRST_DAY), min(last, _LAST_DAY)
        while start <= end:
            until = min(end, date(start.year, 12, 31))
            url = f"{_SERIES}?format=sdmx_csv&startPeriod={start}&endPeriod={until}"
            yield SourceRequest(url=url, first=start, last=until, content_types=("application/vnd.sdmx.data+csv",))
            start = until + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse all series, one after the other. Errors: NothingPublished if no day has a fixing."""
        _ = subject
        seen: set[tuple[Pair, date]] = set()
        fixed = 0
        for cells in _lines(_reader.text(content)):
            pair = Pair(_reader.code(cells[_CURRENCY]), "DEM")
            day = _day(cells[_DAY])
            _reader.unique(seen, (pair, day))
            nominal = _nominal(cells[_TITLE], pair)
            if cells[_VALUE] != _MISSING:
                fixed += 1
                with _reader.cell:
                    yield Fixing("bbk", pair, day, _reader.number(cells[_VALUE], f"{pair} on {day}"), nominal)
        if not seen:
            raise _reader.broken("the file holds no day")
        if not fixed:
            raise NothingPublished("Bundesbank: nothing was fixed on the days asked for")


def _lines(text: str) -> Iterator[list[str]]:
    """Yield the cells of each line of data. Errors: SourceBroken if a line is not of a daily fixing."""
    if not text.endswith("\n"):
        raise _reader.broken("the file was cut off")
    table = _reader.csv_rows(text.removeprefix("\ufeff"), delimiter=";")
    if next(table, []) != _COLUMNS:
        raise _reader.broken(f"the file does not begin with its header: [{shorten(text)}]")
    for cells in table:
        line = dict(zip(_COLUMNS, cells, strict=False))
        if cells and (len(cells) != len(_COLUMNS) or any(line[name] != value for name, value in _SAME.items())):
            raise _reader.broken(f"a line is none of the daily fixings: [{shorten(';'.join(cells))}]")
        if cells:
            yield cells


def _day(text: str) -> date:
    day = _reader.day(text, since=_FIRST_DAY)
    if day > _LAST_DAY:
        raise _reader.broken(f"{day} is after the last fixing")
    return day


def _nominal(title: str, pair: Pair) -> int:
    match = _NOMINAL.fullmatch(title)
    if match is None or match[2] != pair.base:
        raise _reader.broken(f"the title of {pair} does not say per how many units: [{shorten(title)}]")
    return _reader.nominal(match[1].replace(" ", ""), pair)


adapter: FixingAdapter = BbkAdapter()
