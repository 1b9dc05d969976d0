"""Bank of England: daily spot exchange rates against sterling, since 1975-01-02.

Address: the Bank's statistical database, CSV with one column per series: `DATE,XUDLUSS,…`, days as `17 Mar 2026`.
Direction: units of foreign currency per pound, indicative middle rates at about 16:00 London time.
Published: on the next working day.
Oddities: columns are named by series codes, see `reference.boe_series`, and an unknown column is reported
and skipped. An empty cell is a missing rate, as before the first day of a series: the dollar's begins in 1975, others
later. Requests without a browser's User-Agent are refused, and a refusal is a web page.
Known from: recorded answers of 2026; that the series have the years before 2000 from documentation alone. Series of
currencies that the euro replaced are not requested, because their codes are not known for certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.boe_series import BOE_SERIES, NEWER_SERIES
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_DATABASE = "https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
_FIRST_DAY = date(1975, 1, 2)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = r"(?P<d>[0-9]{2}) (?P<m>[A-Z][a-z]{2}) (?P<y>[0-9]{4})"
_BROWSER = (("User-Agent", "Mozilla/5.0 (compatible; Cambist)"),)

_PAIRS = {series: Pair("GBP", code) for series, code in BOE_SERIES.items()}
_EURO_SINCE, _NEWER_SINCE = 1999, 2006
"""The first years in which the euro, and all, are requested. Today's lira and leu are from 2005, and the unit of the
Bank's earlier values is not known."""

_reader = PayloadReader("Bank of England")


class BoeAdapter(FixingAdapter):
    """Parses a table of the Bank's database."""

    source = Source(
        key="boe",
        name="Bank of England",
        home="https://www.bankofengland.co.uk/boeapps/database/Rates.asp",
        terms="https://www.bankofengland.co.uk/legal",
        licence="free use with the Bank named; indicative only",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="26 currencies against sterling",
        anchor="GBP",
        fixed_at=time(16),
        zone=ZoneInfo("Europe/London"),
        first_day=_FIRST_DAY,
        later=tuple((code, date(_NEWER_SINCE, 1, 1)) for code in NEWER_SERIES.values()),
        schedule=Schedule(start=time(9, 30), end=time(18), every=timedelta(minutes=30), holidays="GB"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request a calendar year at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, date(start.year, 12, 31))
            series = ",".join(_series_of(start.year))
            days = f"Datefrom={_format_day(start)}&Dateto={_format_day(end)}"
            url = f"{_DATABASE}&SeriesCodes={series}&UsingCodes=Y&CSVF=TN&{days}"
            yield SourceRequest(
                url=url, first=start, last=end, headers=_BROWSER, content_types=("application/csv", "text/csv")
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, in its order."""
        _ = subject
        text = _reader.text(content, "ascii")
        if not text.endswith("\n"):
            raise _reader.broken("the table is cut off")
        rows = _reader.csv_rows(text)
        pairs = _pairs(next(rows, []))
        seen: set[date] = set()
        fixed = 0
        for cells in rows:
            for fixing in _parse_row(pairs, cells, seen):
                fixed += 1
                yield fixing
        if not fixed:
            raise _reader.broken("the table holds no rate")


def _series_of(year: int) -> Iterator[str]:
    """Yield the series that are requested for a year."""
    for series, pair in _PAIRS.items():
        since = _EURO_SINCE if pair.quote == "EUR" else _FIRST_DAY.year if series not in NEWER_SERIES else _NEWER_SINCE
        if year >= since:
            yield series


def _pairs(header: list[str]) -> list[Pair | None]:
    """Return the pairs of the columns; None for an unknown column."""
    if header[:1] != ["DATE"] or len(header) < 2 or len(set(header)) != len(header):
        raise _reader.broken(f"the table does not begin with its header: [{shorten(','.join(header))}]")
    for series in header[1:]:
        with _reader.cell:
            if series not in _PAIRS:
                raise _reader.cell_broken(f"it is not known what the series [{shorten(series)}] is")
    return [_PAIRS.get(series) for series in header[1:]]


def _parse_row(pairs: list[Pair | None], cells: list[str], seen: set[date]) -> Iterator[Fixing]:
    if len(cells) != len(pairs) + 1:
        raise _reader.broken(
            f"the line [{shorten(','.join(cells))}] has {len(cells)} cells instead of {len(pairs) + 1}"
        )
    day = _reader.unique(seen, _reader.day_with_month_name(cells[0], _DAY, since=_FIRST_DAY))
    for pair, cell in zip(pairs, cells[1:], strict=True):
        if cell and pair is not None:
            with _reader.cell:
                yield Fixing("boe", pair, day, _reader.number(cell, f"{pair} on {day}"))


def _format_day(day: date) -> str:
    return f"{day:%d}/{_MONTHS[day.month - 1]}/{day:%Y}"


adapter: FixingAdapter = BoeAdapter()
