"""Monetary Authority of Singapore: rates of the Singapore dollar at noon, since 1988.

Address: the form of the Authority's page of rates, a POST for whole months of a year that answers with a CSV. The state
of the form and its cookie come from the page.
Direction: Singapore dollars per 1 or 100 units of foreign currency; the name of a column says which.
Published: in the evening, Singapore time.
Oddities: only the first line of a month has its year and its name. Below the rates stand two notes, the last of which
has no line end.
Known from: recorded answers, with days of March 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_URL = "https://eservices.mas.gov.sg/statistics/msb/ExchangeRates.aspx"
_PAGE = SourceRequest(url=_URL, content_types=("text/html",))
_STATE = ("__VIEWSTATE", "__VIEWSTATEGENERATOR", "__EVENTVALIDATION")
_FIELD = "ctl00$ContentPlaceHolder1$"
_BOXES = {"EndOfPeriodPerUnitCheckBoxList": 3, "EndOfPeriodPer100UnitsCheckBoxList": 18}
"""How many currencies there are to tick, by the name of their list."""
_FIRST_DAY = date(1988, 1, 1)
_DECEMBER = 12
_TITLE = ["MAS: Financial Database - Exchange Rates", "", "Exchange Rates (Daily)"]
_HEADER = ["End of Period", "", ""]
_NOTES = "* Yearly, monthly and weekly figures are end period values.", "* Daily figures are values as of noon."
_NAME = re.compile(r"S\$ Per (?:Unit|(?P<units>100) Units) of (?P<name>.+)")
_CODES = {
    "Euro": "EUR",
    "Pound Sterling": "GBP",
    "US Dollar": "USD",
    "Australian Dollar": "AUD",
    "Canadian Dollar": "CAD",
    "Chinese Renminbi": "CNY",
    "Hong Kong Dollar": "HKD",
    "Indian Rupee": "INR",
    "Indonesian Rupiah": "IDR",
    "Japanese Yen": "JPY",
    "Korean Won": "KRW",
    "Malaysian Ringgit": "MYR",
    "New Taiwan Dollar": "TWD",
    "New Zealand Dollar": "NZD",
    "Philippine Peso": "PHP",
    "Qatar Riyal": "QAR",
    "Saudi Arabia Riyal": "SAR",
    "Swiss Franc": "CHF",
    "Thai Baht": "THB",
    "UAE Dirham": "AED",
    "Vietnamese Dong": "VND",
}

_reader = PayloadReader("Monetary Authority of Singapore")


class MasAdapter(FixingAdapter):
    """Parses the CSV of some months."""

    source = Source(
        key="mas",
        name="Monetary Authority of Singapore",
        home=_URL,
        terms="https://www.mas.gov.sg/terms-of-use",
        licence="the Authority's terms of use do not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of use of the Authority let its rates be passed on.",
        pace=Pace.DAILY,
        covers="21 currencies in Singapore dollars",
        anchor="SGD",
        fixed_at=time(12),
        zone=ZoneInfo("Asia/Singapore"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(17), end=time(22), every=timedelta(hours=1), holidays="SG"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the months of the days, each year apart."""
        first = max(first, _FIRST_DAY)
        for year in range(first.year, last.year + 1) if first <= last else ():
            start, end = max(first, date(year, 1, 1)), min(last, date(year, _DECEMBER, 31))
            yield SourceRequest(
                url=_URL,
                first=start,
                last=end,
                headers=(("Content-Type", "application/x-www-form-urlencoded"), ("Referer", _URL)),
                body=_form(start, end),
                content_types=("text/csv",),
                before=_PAGE,
                hidden_fields=_STATE,
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, oldest day first. Errors: as FixingAdapter.parse."""
        _ = subject
        lines = [cells for cells in _reader.csv_rows(_reader.text(content, "utf-8-sig")) if any(cells)]
        if [cells[0] for cells in lines[:2]] != [*filter(None, _TITLE)] or lines[-2:] != [[note] for note in _NOTES]:
            raise _reader.broken("the answer does not have the title and the notes of the daily rates")
        header = next((place for place, cells in enumerate(lines) if cells[:3] == _HEADER), 0)
        columns = [_column(cell) for cell in lines[header][3:]]
        if not header or not columns:
            raise _reader.broken("the table does not have its header")
        days = lines[header + 1 : -2]
        if not days:
            raise NothingPublished(f"{_reader.name}: nothing was published in these months")
        yield from _fixings(days, columns)


def _form(start: date, end: date) -> bytes:
    """Return the fields of the form, without its state."""
    boxes = {f"{_FIELD}{name}${number}": "on" for name, count in _BOXES.items() for number in range(count)}
    asked = {
        "StartYearDropDownList": start.year,
        "EndYearDropDownList": end.year,
        "StartMonthDropDownList": start.month,
        "EndMonthDropDownList": end.month,
        "FrequencyDropDownList": "D",
        "DownloadButton": "Download",
    }
    return urlencode({_FIELD + name: value for name, value in asked.items()} | boxes).encode("ascii")


def _column(name: str) -> tuple[str, int]:
    """Return the code and the nominal of a column. Errors: SourceBroken if it is another one."""
    found = _NAME.fullmatch(name.strip())
    code = _CODES.get(found["name"]) if found else None
    if not found or code is None:
        raise _reader.broken(f"[{shorten(name)}] is no column that it is known to have")
    return code, int(found["units"] or 1)


def _fixings(days: list[list[str]], columns: list[tuple[str, int]]) -> Iterator[Fixing]:
    month, seen = "", set[tuple[str, date]]()
    for cells in days:
        if len(cells) != len(_HEADER) + len(columns) or bool(cells[0]) != bool(cells[1]):
            raise _reader.broken(f"the line [{shorten(','.join(cells))}] is no day")
        year_cell, month_cell, day_cell, *rates = cells
        month = f"{month_cell} {year_cell}" if year_cell else month
        day = _reader.day_with_month_name(f"{day_cell} {month}", r"(?P<d>\d\d) (?P<m>[A-Z][a-z]{2}) (?P<y>\d{4})")
        for (code, units), text in zip(columns, rates, strict=True):
            _reader.unique(seen, (code, day))
            if text:
                with _reader.cell:
                    value = _reader.number(text, f"{code}/SGD on {day}")
                    yield Fixing("mas", Pair(code, "SGD"), day, value, units)


adapter: FixingAdapter = MasAdapter()
