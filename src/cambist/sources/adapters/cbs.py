"""Central Bank of Samoa: mid rates of the tala, since 2008-01-03.

Address: a workbook with the whole archive, a sheet for each year. The Bank's page of rates has its address, which has
the day of the newest rates in it.
Direction: units of foreign currency per tala, whichever of the two stands first in the name of a column.
Published: in the morning, Apia time.
Oddities: each month has a header of its own, and a line of averages without a day. Columns are named in several ways.
The names of the sheets of 2010 and 2011 are exchanged: the days in them are right. A day of another year than the rest
of its sheet is mistyped, and left out; so is a day that is given twice with different rates. A few rates are mistyped
or stand in a wrong column, which only other sources can tell.
Known from: a recorded answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.declaration.raw_rate import RawRate
from cambist.sources.declaration.repeated_rates import merge_repeats
from cambist.sources.declaration.workbook_rows import read_sheets
from cambist.sources.parsing import PayloadReader

_PAGE = SourceRequest(url="https://cbs.gov.ws/daily-exchange-rates", content_types=("text/html",))
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FIRST_DAY = date(2008, 1, 3)
_SHEET = re.compile(r"[0-9]{4}")
_LABEL = re.compile(r"[A-Z]{3,9}|[A-Z][a-z]{2,3}( qtr avg)?")
"""The name of a month, or of averages beside the rates."""
_MISSING = "n/a"
_NAMES = {
    **dict.fromkeys(("TALA/USD", "US/TALA"), "USD"),
    **dict.fromkeys(("TALA/NZD", "NZ/TALA"), "NZD"),
    **dict.fromkeys(("TALA/AUD", "AUS/TALA"), "AUD"),
    **dict.fromkeys(("TALA/EURO", "EURO/TALA", "EUR/TALA"), "EUR"),
    **dict.fromkeys(("TALA/FJD", "FJD/TALA"), "FJD"),
    **dict.fromkeys(("TALA/YEN", "YEN/TALA"), "JPY"),
    **dict.fromkeys(("TALA/GBP", "GBP/TALA"), "GBP"),
    "TALA/CNY": "CNY",
    "TALA/CNH": "CNH",
}
"""The codes by the names of columns."""

_reader = PayloadReader("Central Bank of Samoa")


class CbsAdapter(FixingAdapter):
    """Parses the workbook."""

    source = Source(
        key="cbs",
        name="Central Bank of Samoa",
        home=_PAGE.url,
        terms="https://cbs.gov.ws/",
        licence="official rates, published without terms of their own",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="9 currencies against the tala",
        anchor="WST",
        fixed_at=time(9),
        zone=ZoneInfo("Pacific/Apia"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(8), end=time(16), every=timedelta(hours=2), holidays="WS"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the archive, if the range has days of it."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(
                url="https://cbs.gov.ws/media/{token}.xlsx",
                first=start,
                last=last,
                content_types=(_XLSX,),
                before=_PAGE,
                token_pattern=r'href="/media/(Historical-Daily-Rates-[A-Za-z0-9_-]+)\.xlsx"',  # noqa: S106  a pattern
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the sheets, in their order."""
        _ = subject
        is_empty = True
        sheets = read_sheets(content, _reader)
        rows = (row for name, lines in sheets.items() for row in _of_one_year([*_rates(name, lines)]))
        for row in merge_repeats(rows, _reader):
            if row.rate == _MISSING:
                continue
            pair, day = Pair("WST", _reader.code(row.code)), _reader.day(row.day, since=_FIRST_DAY)
            is_empty = False
            with _reader.cell:
                yield Fixing("cbs", pair, day, _reader.number(row.rate, f"{pair} on {day}"))
        if is_empty:
            raise _reader.broken("the workbook holds no rate")


def _rates(name: str, lines: list[list[str]]) -> Iterator[RawRate]:
    """Yield the rates of a sheet. Errors: SourceBroken if it has another layout."""
    days = next((cells.index("DATE") for cells in lines if "DATE" in cells), None)
    if days is None or not _SHEET.fullmatch(name):
        raise _reader.broken(f"the sheet [{shorten(name)}] is not one of a year with the days of its rates")
    codes: dict[int, str] = {}
    for cells in lines:
        first = cells[days].strip()
        if first == "DATE":
            codes = {place: _code(cell) for place, cell in enumerate(cells) if place > days and cell.strip()}
        elif first and not _LABEL.fullmatch(first):
            yield from (RawRate(first, code, cells[place]) for place, code in codes.items() if cells[place])


def _of_one_year(rows: list[RawRate]) -> Iterator[RawRate]:
    """Yield the rates of a sheet in the year of most of its days. Errors: CellBroken for each day of another year."""
    years = Counter(str(row.day)[:4] for row in rows)
    for row in rows:
        with _reader.cell:
            if years[str(row.day)[:4]] < max(years.values()):
                raise _reader.cell_broken(f"[{row.day}] is in the sheet of another year")
            yield row


def _code(name: str) -> str:
    if name.strip() not in _NAMES:
        raise _reader.broken(f"[{shorten(name)}] is no column that it is known to have")
    return _NAMES[name.strip()]


adapter: FixingAdapter = CbsAdapter()
