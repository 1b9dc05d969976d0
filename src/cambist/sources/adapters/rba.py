"""Reserve Bank of Australia: daily exchange rates, table F11.1, since 2023-01-03.

Address: one CSV at `www.rba.gov.au`, with a byte-order mark and eleven header rows (two of them blank). The row
`Units` has the currency codes.
Direction: units of foreign currency per Australian dollar.
Published: after 16:00 Sydney time on working days.
Oddities: `SDR` is the XDR; `Index` is the trade-weighted index and is skipped. A blank cell is a missing rate.
Hundreds of blank lines follow the last day. The US dollar's column is from WM/Reuters.
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
from cambist.sources.parsing import PayloadReader

_ADDRESS = "https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"
_FIRST_DAY = date(2023, 1, 3)
_LABELS = ["Title", "Description", "Frequency", "Type", "Units", "", "", "Source", "Publication date", "Series ID"]
_TITLES, _UNITS = 1, 5
_INDEX = "Index"
_DAY = r"(?P<d>\d{2})-(?P<m>[A-Z][a-z]{2})-(?P<y>\d{4})"

_reader = PayloadReader("RBA")


class RbaAdapter(FixingAdapter):
    """Parses the table."""

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
        """Request the only file."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            # The web server sends the CSV with a generic content type.
            yield SourceRequest(
                url=_ADDRESS, first=start, last=last, content_types=("application/octet-stream", "text/csv")
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the table, oldest day first."""
        _ = subject
        text = _reader.text(content, "utf-8-sig")
        if not text.endswith("\n"):
            raise _reader.broken("the table is cut off")
        rows = list(_reader.csv_rows(text.rstrip("\n")))
        pairs = _pairs(rows[: len(_LABELS) + 1])
        seen: set[date] = set()
        for row in rows[len(_LABELS) + 1 :]:
            yield from _parse_day(_reader.unique(seen, _day("".join(row[:1]))), pairs, row[1:])
        if not seen:
            raise _reader.broken("the table holds no day")


def _pairs(head: list[list[str]]) -> list[Pair | None]:
    """Return the pairs of the columns from the header rows; None for a column without rates."""
    if [row[0] if row else "" for row in head[1:]] != _LABELS or not ",".join(head[0]).startswith("F11.1 "):
        raise _reader.broken("the table does not begin with its eleven rows")
    titles, units = head[_TITLES][1:], head[_UNITS][1:]
    if len(titles) != len(units) or len(set(units)) != len(units) or "USD" not in units:
        raise _reader.broken(f"its {len(titles)} columns have these units: [{shorten(','.join(units))}]")
    return [_pair(title, unit) for title, unit in zip(titles, units, strict=True)]


def _pair(title: str, unit: str) -> Pair | None:
    if unit == _INDEX:
        return None
    if title != f"A$1={unit}":
        raise _reader.broken(f"the column [{shorten(title)}] is in [{shorten(unit)}]")
    return Pair("AUD", "XDR" if unit == "SDR" else _reader.code(unit))


def _day(text: str) -> date:
    return _reader.day_with_month_name(text, _DAY, since=_FIRST_DAY)


def _parse_day(day: date, pairs: list[Pair | None], cells: list[str]) -> Iterator[Fixing]:
    if len(cells) != len(pairs):
        raise _reader.broken(f"the line of {day} has {len(cells)} rates instead of {len(pairs)}")
    fixed = [(pair, cell) for pair, cell in zip(pairs, cells, strict=True) if pair is not None and cell]
    if not fixed:
        raise _reader.broken(f"{day} has no rate")
    for pair, cell in fixed:
        with _reader.cell:
            yield Fixing("rba", pair, day, _reader.number(cell, f"{pair} on {day}"))


adapter: FixingAdapter = RbaAdapter()
