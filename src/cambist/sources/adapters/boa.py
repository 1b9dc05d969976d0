"""Bank of Algeria: rates of the dinar, since 2000.

Address: a workbook with the whole archive, a sheet for each currency. The Bank's page of past rates has its address, in
a folder of the month.
Direction: dinars per unit of foreign currency, per 100 for the yen; the title of a sheet says which.
Published: by the month, some weeks after its end.
Oddities: a sheet names its currency twice, in its title and above its rates; both must be the same. The sheet of the
old ouguiya (MRO) has no days, and is not read. A day that is given twice with different rates is left out. The Bank's
server does not send all of its certificates: it can be asked only where the operator's system knows the missing one.
Known from: a recorded answer, of which only April 2026 has rates.
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

_PAGE = SourceRequest(url="https://www.bank-of-algeria.dz/donnees-historiques/", content_types=("text/html",))
_FILES = "https://www.bank-of-algeria.dz/stoodroa/"
_LINK = rf'href="{re.escape(_FILES)}([0-9]{{4}}/[0-9]{{2}}/Cotation-DZD-[0-9-]+-journalier)\.xlsx"'
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FIRST_DAY = date(2000, 1, 1)
_TITLE = re.compile(r"(?:(?P<units>100) )?(?P<code>[A-Z]{3}|EURO) / DZD")
_ABOVE = 2
"""Lines before the days that are not blank: the title, and the name above the rates."""
_IGNORED = "MRO - DZD"

_reader = PayloadReader("Bank of Algeria")


class BoaAdapter(FixingAdapter):
    """Parses the workbook."""

    source = Source(
        key="boa",
        name="Bank of Algeria",
        home=_PAGE.url,
        terms="https://www.bank-of-algeria.dz/",
        licence="the Bank's site does not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="Its terms are not clear about passing rates on, and its server sends too few certificates.",
        pace=Pace.DAILY,
        covers="16 currencies in Algerian dinars",
        anchor="DZD",
        fixed_at=time(12),
        zone=ZoneInfo("Africa/Algiers"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(9), end=time(18), every=timedelta(hours=6), reread_days=62),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the archive, if the range has days of it."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(
                url=f"{_FILES}{{token}}.xlsx",
                first=start,
                last=last,
                content_types=(_XLSX,),
                before=_PAGE,
                token_pattern=_LINK,
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the sheets, in their order."""
        _ = subject
        is_empty = True
        sheets = read_sheets(content, _reader)
        rows = (row for name, lines in sheets.items() if name != _IGNORED for row in _rates(name, lines))
        for row in merge_repeats(rows, _reader):
            pair, day = Pair(_reader.code(row.code), "DZD"), _reader.day(row.day, since=_FIRST_DAY)
            is_empty = False
            with _reader.cell:
                value = _reader.number(row.rate, f"{pair} on {day}")
                yield Fixing("boa", pair, day, value, _reader.nominal(row.nominal, pair))
        if is_empty:
            raise _reader.broken("the workbook holds no rate")


def _rates(name: str, lines: list[list[str]]) -> Iterator[RawRate]:
    """Yield the rates of a sheet. Errors: SourceBroken if it does not have one currency."""
    filled = [list(filter(None, cells)) for cells in lines if any(cells)]
    titles = [" ".join(cells) for cells in filled[:_ABOVE]]
    title, column, *_ = (_TITLE.fullmatch(text.strip()) for text in [*titles, "", ""])
    code = _code(title)
    if title is None or not code or code != _code(column):
        raise _reader.broken(f"the sheet [{shorten(name)}] has the titles [{shorten(' '.join(titles))}]")
    for cells in filled[_ABOVE:]:
        if len(cells) > 1:
            yield RawRate(cells[0], code, cells[1], title["units"] or "1")


def _code(title: re.Match[str] | None) -> str:
    written = title["code"] if title else ""
    return "EUR" if written == "EURO" else written


adapter: FixingAdapter = BoaAdapter()
