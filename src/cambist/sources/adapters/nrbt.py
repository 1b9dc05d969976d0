"""National Reserve Bank of Tonga: average middle rates of the pa'anga, since 2017-01-03.

Address: a workbook with the whole archive, a sheet for each two years.
Direction: units of foreign currency per pa'anga.
Published: in the afternoon, Nuku'alofa time.
Oddities: a sheet has three blocks of columns, for buying, the middle and selling; the one of the middle is read. On
holidays a sentence stands in place of the rates. Under the rates is the Bank's address. A day of other years than its
sheet is left out, and so is one that is given twice with different rates.
Known from: a recorded answer, of which most lines are blank.
"""

from __future__ import annotations

import re
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

_URL = "https://www.reservebank.to/data/docs/fmarkets/exrates/average_daily_exchange_rates.xlsx"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FIRST_DAY = date(2017, 1, 3)
_SHEET = re.compile(r"([0-9]{4}) to ([0-9]{4})")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")

_reader = PayloadReader("National Reserve Bank of Tonga")


class NrbtAdapter(FixingAdapter):
    """Parses the workbook."""

    source = Source(
        key="nrbt",
        name="National Reserve Bank of Tonga",
        home="https://www.reservebank.to/index.php/financial-system/financial-markets/exchange-rates",
        terms="https://www.reservebank.to/",
        licence="official averages, published without terms of their own",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="12 currencies against the pa'anga",
        anchor="TOP",
        fixed_at=time(12),
        zone=ZoneInfo("Pacific/Tongatapu"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(12), end=time(20), every=timedelta(hours=2), holidays="TO"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the archive, if the range has days of it."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(url=_URL, first=start, last=last, content_types=(_XLSX,))

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the sheets, in their order."""
        _ = subject
        is_empty = True
        rows = (row for name, lines in read_sheets(content, _reader).items() for row in _rates(name, lines))
        for row in merge_repeats(rows, _reader):
            pair, day = Pair("TOP", _reader.code(row.code)), _reader.day(row.day, since=_FIRST_DAY)
            is_empty = False
            with _reader.cell:
                yield Fixing("nrbt", pair, day, _reader.number(row.rate, f"{pair} on {day}"))
        if is_empty:
            raise _reader.broken("the workbook holds no rate")


def _rates(name: str, lines: list[list[str]]) -> Iterator[RawRate]:
    """Yield the middle rates of a sheet. Errors: SourceBroken for another layout, CellBroken for a day out of place."""
    years = _SHEET.fullmatch(name)
    heading = next((place for place, cells in enumerate(lines) if any(map(_is_middle, cells))), None)
    if years is None or heading is None:
        raise _reader.broken(f"the sheet [{shorten(name)}] is not one of two years with a block of middle rates")
    start = next(place for place, cell in enumerate(lines[heading]) if _is_middle(cell))
    below = (place for place in range(heading + 1, len(lines)) if lines[place][start])
    header = next(below, len(lines) - 1)
    codes = _until_blank(lines[header][start:])
    for cells in lines[header + 1 :]:
        texts = cells[start : start + len(codes)]
        if not any(map(_NUMBER.fullmatch, texts)):
            continue
        with _reader.cell:
            if not years[1] <= cells[0][:4] <= years[2]:
                raise _reader.cell_broken(f"[{shorten(cells[0])}] is in the sheet [{name}]")
            yield from (RawRate(cells[0], code, text) for code, text in zip(codes, texts, strict=True) if text)


def _is_middle(cell: str) -> bool:
    return cell.split()[-1:] == ["MID"]


def _until_blank(cells: list[str]) -> list[str]:
    return cells[: cells.index("")] if "" in cells else cells


adapter: FixingAdapter = NrbtAdapter()
