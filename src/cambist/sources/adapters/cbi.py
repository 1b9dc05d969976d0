"""Central Bank of Iraq: official rates of the dinar, since 2024.

Address: a workbook with the whole archive, a sheet for each year. The Bank's page of statistics has its address, which
is a number.
Direction: dinars per unit of foreign currency, also for the yen; the exact mean of the Bank's buying rate and its
selling rate to banks. The rate at which banks sell on, the second selling rate, is not read.
Published: from Sunday to Thursday; the workbook follows after days or weeks.
Oddities: a line has only the day of the month. Months follow each other below a label and above their average; the
label of the first may be the year alone. The name of a currency stands somewhere above its two or three columns. On a
holiday its name stands in place of the rates, and a single rate may be left over. Gold, whose numbers have several
forms, is not read. Sheets before 2024 are not read, because their layout is not known.
Known from: a recorded answer with January 2024 and two months of 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.declaration.workbook_rows import read_sheets
from cambist.sources.parsing import PayloadReader

_PAGE = SourceRequest(url="https://cbi.iq/page/144", content_types=("text/html",))
_LINK = r'href="https://cbi\.iq/static/uploads/up/(file-[0-9]+)\.xlsx"[^>]*>\s*أسعار صرف الدينار العراقي اليومية'
"""The link whose text begins: daily exchange rates of the Iraqi dinar."""
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FIRST_DAY = date(2024, 1, 1)
_SHEET = re.compile(r"[0-9]{4}")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{1,2}")
_LABEL = re.compile(r"(?:(?P<month>[A-Z][a-z]{2})[a-z]*[. ]*)?(?P<year>[0-9]{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAME = re.compile(r"[A-Z]{3}|S\.FR")
_CODES = {"S.FR": "CHF", "UAE": "AED", "SDR": "XDR"}
_FEWEST = 2
"""Numbers: a line with fewer is of a holiday."""
_WIDEST_SPREAD = Decimal("1.05")
"""Selling divided by buying: between these two a larger step is a slip of the pen. The Bank's own is below 1.01."""

_reader = PayloadReader("Central Bank of Iraq")


class _Columns(NamedTuple):
    """The place of a currency's buying rate; the selling rate is next to it."""

    code: str
    buying: int


class CbiAdapter(FixingAdapter):
    """Parses the workbook."""

    source = Source(
        key="cbi",
        name="Central Bank of Iraq",
        home=_PAGE.url,
        terms="https://cbi.iq/",
        licence="official rates, published without terms of their own",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="17 currencies and the SDR in Iraqi dinars",
        anchor="IQD",
        fixed_at=time(12),
        zone=ZoneInfo("Asia/Baghdad"),
        first_day=_FIRST_DAY,
        schedule=Schedule(
            start=time(9), end=time(18), every=timedelta(hours=3), days=frozenset({6, 0, 1, 2, 3}), reread_days=62
        ),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the archive, if the range has days of it."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(
                url="https://cbi.iq/static/uploads/up/{token}.xlsx",
                first=start,
                last=last,
                content_types=(_XLSX,),
                before=_PAGE,
                token_pattern=_LINK,
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the sheets, in their order. A sheet with another layout is left out."""
        _ = subject
        is_empty = True
        for name, lines in read_sheets(content, _reader).items():
            if not _SHEET.fullmatch(name):
                raise _reader.broken(f"the sheet [{shorten(name)}] is not one of a year")
            if int(name) < _FIRST_DAY.year or not lines:
                continue
            with _reader.cell:
                for day, cells, columns in _days(name, lines):
                    is_empty = False
                    yield from _fixings(day, cells, columns)
        if is_empty:
            raise _reader.broken("the workbook holds no rate")


def _days(year: str, lines: list[list[str]]) -> Iterator[tuple[date, list[str], list[_Columns]]]:
    """Yield each day that has rates. Errors: CellBroken if the sheet has another layout."""
    header = next((place for place, cells in enumerate(lines) if cells[1:] and _is(cells[1], "Buy")), 0)
    columns = _columns(lines[max(header - 2, 0) : header], lines[header])
    month, seen = 0, set[date]()
    for cells in lines[header + 1 :]:
        first = cells[0].strip()
        if _LABEL.fullmatch(first):
            month = _following_month(month, first, year)
        elif first == "Average" or sum(map(bool, map(_NUMBER.fullmatch, cells[1:]))) < _FEWEST:
            continue
        elif _DAY.fullmatch(first):
            yield _reader.unique(seen, _reader.day(f"{year}-{month:02}-{int(first):02}")), cells, columns
        else:
            raise _reader.cell_broken(f"the line [{shorten(first)}] of {year} is none of a day or a month")


def _columns(above: list[list[str]], header: list[str]) -> list[_Columns]:
    """Return the columns of each currency. Errors: CellBroken if one does not have one name."""
    starts = [place for place, cell in enumerate(header) if _is(cell, "Buy")]
    ends = [*starts[1:], max((place for place, cell in enumerate(header) if _is(cell, "Sell")), default=0) + 1]
    found = []
    for start, end in zip(starts, ends, strict=False):
        words = [cell.split()[-1] for cells in above for cell in cells[start:end] if cell.strip()]
        names = [word for word in words if _NAME.fullmatch(word)]
        if len(names) != 1 or not _is(header[start + 1], "Sell"):
            raise _reader.cell_broken(f"the columns from {start + 1} on are not those of one currency: {names}")
        found.append(_Columns(_CODES.get(names[0], names[0]), start))
    if not found:
        raise _reader.cell_broken("a sheet has no columns of buying and selling rates")
    return found


def _following_month(month: int, label: str, year: str) -> int:
    """Return the month after this one. Errors: CellBroken if the label is another month's, or another year's."""
    parts = _LABEL.fullmatch(label)
    name = parts["month"] if parts else None
    if not parts or parts["year"] != year or _MONTHS[month : month + 1] != ((name or "Jan"),):
        raise _reader.cell_broken(f"[{shorten(label)}] is not the month after the month {month} of {year}")
    return month + 1


def _fixings(day: date, cells: list[str], columns: list[_Columns]) -> Iterator[Fixing]:
    for code, place in columns:
        buying, selling = cells[place].strip(), cells[place + 1].strip()
        if buying or selling:
            with _reader.cell:
                yield Fixing("cbi", Pair(code, "IQD"), day, _mean(buying, selling, f"{code}/IQD on {day}"))


def _mean(buying: str, selling: str, what: str) -> Decimal:
    """Return the exact mean. Errors: CellBroken if the two do not belong together."""
    low, high = _reader.number(buying, what), _reader.number(selling, what)
    if not low <= high <= low * _WIDEST_SPREAD:
        raise _reader.cell_broken(f"{what} is bought at [{shorten(buying)}] and sold at [{shorten(selling)}]")
    return (low + high) / 2


def _is(label: str, word: str) -> bool:
    return label.split()[:1] == [word]


adapter: FixingAdapter = CbiAdapter()
