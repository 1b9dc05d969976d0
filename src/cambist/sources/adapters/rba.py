"""Reserve Bank of Australia: daily exchange rates, table F11.1, since 1983-12-12.

Address: `www.rba.gov.au`: one CSV since 2023, with a byte-order mark and eleven header rows (two of them blank), and
before it a workbook for every few years with the same rows. The row `Units` has the currency codes.
Direction: units of foreign currency per Australian dollar.
Published: after 16:00 Sydney time on working days.
Oddities: `SDR` is the XDR; `Index` is the trade-weighted index and is skipped. A blank cell is a missing rate.
Hundreds of blank lines follow the last day. The US dollar's column is from WM/Reuters since July 2008. A column of a
workbook whose unit is no currency code is reported and left out.
Known from: a recorded CSV of 2026; the workbooks from documentation alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.declaration.layouts import WorkbookLayout
from cambist.sources.declaration.workbook_rows import WorkbookOpener
from cambist.sources.parsing import PayloadReader, is_code

_TABLES = "https://www.rba.gov.au/statistics/tables/"
_FIRST_DAY, _CSV_SINCE = date(1983, 12, 12), date(2023, 1, 3)
_WORKBOOKS = (
    (1983, 1986),
    (1987, 1990),
    (1991, 1994),
    (1995, 1998),
    (1999, 2002),
    (2003, 2006),
    (2007, 2009),
    (2010, 2013),
    (2014, 2017),
    (2018, 2022),
)
"""The first and the last year of each."""
_WORKBOOK_MEDIA = ("application/vnd.ms-excel", "application/octet-stream")
_SHEET = WorkbookLayout(layout="wide", sheet=1)
_LABELS = ["Title", "Description", "Frequency", "Type", "Units", "", "", "Source", "Publication date", "Series ID"]
_TITLES, _UNITS = 1, 5
_HEAD = len(_LABELS) + 1
_INDEX = "Index"
_DAY = r"(?P<d>\d{2})-(?P<m>[A-Z][a-z]{2})-(?P<y>\d{4})"

_reader = PayloadReader("RBA")


class RbaAdapter(FixingAdapter):
    """Parses the table and the workbooks. The subject of a workbook are its years."""

    source = Source(
        key="rba",
        name="Reserve Bank of Australia",
        home="https://www.rba.gov.au/statistics/frequency/exchange-rates.html",
        terms="https://www.rba.gov.au/copyright/",
        licence="CC BY 4.0; the US dollar's column is from WM/Reuters",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 20 currencies and the SDR against the Australian dollar",
        anchor="AUD",
        fixed_at=time(16),
        zone=ZoneInfo("Australia/Sydney"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(16), end=time(19), holidays="AU"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the workbooks of the years before 2023, and the only CSV of all later ones."""
        for years in _WORKBOOKS:
            start, end = max(first, _FIRST_DAY, date(years[0], 1, 1)), min(last, date(years[1], 12, 31))
            if start <= end:
                subject = _subject(years)
                url = f"{_TABLES}xls-hist/{subject}.xls"
                yield SourceRequest(url=url, first=start, last=end, subject=subject, content_types=_WORKBOOK_MEDIA)
        start = max(first, _CSV_SINCE)
        if start <= last:
            # The web server sends the CSV with a generic content type.
            media = ("application/octet-stream", "text/csv")
            yield SourceRequest(url=f"{_TABLES}csv/f11.1-data.csv", first=start, last=last, content_types=media)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, oldest day first; `subject` has the years of a workbook."""
        return _parse_workbook(content, subject) if subject else self._parse_csv(content)

    def _parse_csv(self, content: bytes) -> Iterator[Fixing]:
        text = _reader.text(content, "utf-8-sig")
        if not text.endswith("\n"):
            raise _reader.broken("the table is cut off")
        rows = list(_reader.csv_rows(text.rstrip("\n")))
        if not text.startswith("F11.1 "):
            raise _reader.broken("the table does not begin with its eleven rows")
        pairs = _pairs(rows)
        seen: set[date] = set()
        for row in rows[_HEAD:]:
            day = _reader.unique(seen, _reader.day_with_month_name("".join(row[:1]), _DAY, since=_CSV_SINCE))
            fixed = _fixed(day, pairs, row[1:])
            if not fixed:
                raise _reader.broken(f"{day} has no rate")
            yield from _fixings(day, fixed)
        if not seen:
            raise _reader.broken("the table holds no day")


def _subject(years: tuple[int, int]) -> str:
    return f"{years[0]}-{years[1]}"


def _parse_workbook(content: bytes, subject: str) -> Iterator[Fixing]:
    rows = list(WorkbookOpener(_SHEET, _reader)(content).lines)
    pairs = _pairs(rows)
    seen: set[date] = set()
    for row in filter(None, rows[_HEAD:]):
        day = _reader.unique(seen, _reader.day(row[0], since=_FIRST_DAY))
        if not int(subject[:4]) <= day.year <= int(subject[-4:]):
            raise _reader.broken(f"the workbook of {subject} has a rate of {day}")
        yield from _fixings(day, _fixed(day, pairs, row[1:]))
    if not seen:
        raise _reader.broken("the workbook holds no day")


def _pairs(rows: list[list[str]]) -> list[Pair | None]:
    """Return the pairs of the columns from the header rows; None for a column without rates. Errors: SourceBroken."""
    if [row[0] if row else "" for row in rows[1:_HEAD]] != _LABELS:
        raise _reader.broken("the table does not begin with its eleven rows")
    titles, units = rows[_TITLES][1:], rows[_UNITS][1:]
    codes = [unit for unit in units if unit not in ("", _INDEX)]
    if len(titles) != len(units) or len(set(codes)) != len(codes) or "USD" not in codes:
        raise _reader.broken(f"its {len(titles)} columns have these units: [{shorten(','.join(units))}]")
    pairs: list[Pair | None] = [None] * len(units)
    for place, (title, unit) in enumerate(zip(titles, units, strict=True)):
        with _reader.cell:
            pairs[place] = _pair(title, unit)
    return pairs


def _pair(title: str, unit: str) -> Pair | None:
    """Return the pair of a column; None for one without rates. Errors: CellBroken for an unknown unit."""
    if unit == _INDEX or not (title or unit):
        return None
    if title != f"A$1={unit}" or not is_code(unit):
        raise _reader.cell_broken(f"the column [{shorten(title)}] is in [{shorten(unit)}]")
    return Pair("AUD", "XDR" if unit == "SDR" else unit)


def _fixed(day: date, pairs: list[Pair | None], cells: list[str]) -> list[tuple[Pair, str]]:
    if len(cells) != len(pairs):
        raise _reader.broken(f"the line of {day} has {len(cells)} rates instead of {len(pairs)}")
    return [(pair, cell) for pair, cell in zip(pairs, cells, strict=True) if pair is not None and cell]


def _fixings(day: date, fixed: list[tuple[Pair, str]]) -> Iterator[Fixing]:
    for pair, cell in fixed:
        with _reader.cell:
            yield Fixing("rba", pair, day, _reader.number(cell, f"{pair} on {day}"))


adapter: FixingAdapter = RbaAdapter()
