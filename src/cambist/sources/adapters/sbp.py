"""State Bank of Pakistan: the banks' average floating rates of the rupee, since 2013-07-02.

Address: two workbooks, one of the newest month, and an archive of all older ones, which is only asked for long ranges.
Direction: rupees per unit of foreign currency, also for the yen.
Published: by the month, about three weeks after its end.
Oddities: days are columns, currencies are lines with English names, some of them misspelt. Below stands whom to ask.
The server refuses programs that do not call themselves a browser.
Known from: a recorded answer of April 2026. Of the archive, only a description is known: it has the same layout, with
other spellings of some names.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.declaration.workbook_rows import read_sheets
from cambist.sources.parsing import PayloadReader

_FOLDER = "https://www.sbp.org.pk/assets/document/"
_NEWEST, _ARCHIVE = f"{_FOLDER}BFER_Daily.xlsx", f"{_FOLDER}BFER_Daily_Arch.xlsx"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FIRST_DAY = date(2013, 7, 2)
_SHORT = timedelta(days=62)
"""The longest range of which the newest workbook may have a part and the archive nothing new."""
_UNIT = "Pak Rupees per Currency Unit"
_HEADER = ["Country / Monetary Union", "Currency"]
_NAMES = {
    "AUD": ("Australian Dollar",),
    "BHD": ("Bahraini Dinar",),
    "CAD": ("Canadian Dollar",),
    "CNY": ("Chinese Yuan",),
    "DKK": ("Danish Krone",),
    "EUR": ("Euro",),
    "HKD": ("Hongkong Dollar", "Hong Kong Dollar"),
    "JPY": ("Japnese Yen", "Japanese Yen"),
    "KWD": ("Kuwaiti Dinar",),
    "MYR": ("Malaysian Ringgit",),
    "NZD": ("New Zealand Dollar",),
    "NOK": ("Norwegian Krone",),
    "OMR": ("Omani Riyal",),
    "QAR": ("Qatari Riyal",),
    "SGD": ("Singaporian Dollar", "Singapore Dollar"),
    "SEK": ("Swedish Krona", "Swedish Krone"),
    "CHF": ("Swiss Franc",),
    "SAR": ("Saudi Arabian Riyal",),
    "THB": ("Thai Bhat", "Thai Baht"),
    "TRY": ("Turkish Lira",),
    "AED": ("UAE Dirham", "U.A.E. Dirham"),
    "GBP": ("UK Pound Sterling", "U.K. Pound Sterling"),
    "USD": ("U.S. Dollar",),
}
_CODES = {name: code for code, names in _NAMES.items() for name in names}

_reader = PayloadReader("State Bank of Pakistan")


class SbpAdapter(FixingAdapter):
    """Parses a workbook."""

    source = Source(
        key="sbp",
        name="State Bank of Pakistan",
        home="https://www.sbp.org.pk/",
        terms="https://www.sbp.org.pk/",
        licence="the Bank's site does not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="Its terms are not clear about passing rates on, and its server may refuse programs.",
        pace=Pace.DAILY,
        covers="23 currencies in Pakistani rupees",
        anchor="PKR",
        fixed_at=time(17),
        zone=ZoneInfo("Asia/Karachi"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(10), end=time(20), every=timedelta(hours=6), reread_days=_SHORT.days),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the newest month, and the archive before it for a long range."""
        start = max(first, _FIRST_DAY)
        for url in (_ARCHIVE, _NEWEST) if last - start > _SHORT else (_NEWEST,) if start <= last else ():
            yield SourceRequest(url=url, first=start, last=last, content_types=(_XLSX,))

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the first sheet, a currency after the other."""
        _ = subject
        lines = next(iter(read_sheets(content, _reader).values()), [])
        header = next((place for place, cells in enumerate(lines) if cells[:2] == _HEADER), None)
        if header is None or not any(_UNIT in cells for cells in lines[:header]):
            raise _reader.broken("the sheet is not one of rupees per unit, with a line of days")
        days = [_reader.day(cell, since=_FIRST_DAY) for cell in lines[header][2:] if cell]
        seen: set[tuple[str, date]] = set()
        for cells in lines[header + 1 :]:
            if any(cells[1:]):
                yield from _fixings(cells, days, seen)
        if not seen:
            raise _reader.broken("the sheet holds no rate")


def _fixings(cells: list[str], days: list[date], seen: set[tuple[str, date]]) -> Iterator[Fixing]:
    """Yield the rates of a line. Errors: SourceBroken for a name that is not known, or a currency given twice."""
    code = _CODES.get(" ".join(cells[1].split()))
    if code is None or any(cells[2 + len(days) :]):
        raise _reader.broken(f"the line [{shorten(','.join(cells[:3]))}] is not one of a known currency")
    for day, text in zip(days, cells[2:], strict=False):
        _reader.unique(seen, (code, day))
        if text:
            with _reader.cell:
                yield Fixing("sbp", Pair(code, "PKR"), day, _reader.number(text, f"{code}/PKR on {day}"))


adapter: FixingAdapter = SbpAdapter()
