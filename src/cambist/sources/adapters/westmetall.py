"""Westmetall: official prices of the London Metal Exchange, cash and three months.

Address: `www.westmetall.com`, one HTML page per metal and year. Rows are day (`05. August 2025`), cash settlement,
three-month price and stock, newest first; the header is repeated for each month.
Direction: dollars per tonne, written as `1,234.00`.
Published: in the afternoon; the prices are those of the exchange's second ring, at about 12:30 to 13:30 in London.
Oddities: on English bank holidays only the stock is given: the prices are a dash or zero. The London Metal Exchange
owns the prices.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PAGE = "https://www.westmetall.com/en/markdaten.php"
_FIRST_DAY = date(2008, 1, 2)
_METALS = {
    "XAL": ("Al", "Aluminium"),
    "XCU": ("Cu", "Copper"),
    "XNI": ("Ni", "Nickel"),
    "XPB": ("Pb", "Lead"),
    "XZN": ("Zn", "Zinc"),
}
"""By code: the chemical symbol (in the URL) and the name (in the table)."""

_MISSING = ("-", "0.00")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = rf"(?P<d>[0-9]{{2}})\. (?P<m>{_MONTHS}) (?P<y>[0-9]{{4}})"

_reader = PayloadReader("Westmetall")


class WestmetallAdapter(FixingAdapter):
    """Parses one metal's page of a year; `subject` is the metal's code."""

    source = Source(
        key="westmetall",
        name="Westmetall",
        home=_PAGE,
        terms="https://www.westmetall.com/en/",
        licence="no terms are stated; the prices are the London Metal Exchange's",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.DAILY,
        covers="official cash and three-month prices of five base metals at the London Metal Exchange",
        fixed_at=time(13, 30),
        zone=ZoneInfo("Europe/London"),
        first_day=_FIRST_DAY,
        rate_type=RateType.MARKET,
        schedule=Schedule(
            start=time(14), end=time(20), every=timedelta(hours=1), holidays="XLON", pause=timedelta(seconds=3)
        ),
        disabled_reason="The London Metal Exchange owns these prices. Ask it, or Westmetall, for permission first.",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each metal's page, a calendar year at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            until = min(last, date(start.year, 12, 31))
            for code, (symbol, _) in _METALS.items():
                url = f"{_PAGE}?action=table&field=LME_{symbol}_cash&year={start.year}"
                yield SourceRequest(url=url, first=start, last=until, subject=code, content_types=("text/html",))
            start = until + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one metal's days, cash before three months. Errors: NothingPublished if the year has no prices yet."""
        pairs = Pair(subject, "USD"), Pair(f"{subject}-3M", "USD")
        seen: set[date] = set()
        priced = False
        for text, *prices in _days(_reader.text(content), subject):
            day = _reader.unique(seen, _reader.day_with_month_name(text, _DAY, since=_FIRST_DAY))
            for pair, price in zip(pairs, prices, strict=True):
                if price not in _MISSING:
                    priced = True
                    with _reader.cell:
                        value = _reader.number(price, f"{pair} on {day}", thousands=",")
                        yield Fixing("westmetall", pair, day, value)
        if not priced:
            raise NothingPublished(f"Westmetall: has no price of {subject} in the year asked for")


def _days(text: str, code: str) -> Iterator[list[str]]:
    """Yield day, cash and three-month price of each row of the page's tables of prices."""
    ends = text.lower().count("</html>")
    if ends != 1 or not text.rstrip().lower().endswith("</html>"):
        raise _reader.broken(f"the page is not one whole page: [{shorten(text)}]")
    _, name = _METALS.get(code, ("", ""))
    header = ["date", f"LME {name} Cash-Settlement", f"LME {name} 3-month", f"LME {name} stock"]
    tables = [rows for rows in _tables(text) if rows and rows[0] == header]
    if not tables:
        raise _reader.broken(f"the page has no table of [{shorten(name)}]")
    for row in (row for rows in tables for row in rows if row != header):
        if len(row) != len(header):
            raise _reader.broken(f"a row has {len(row)} cells: [{shorten(' | '.join(row))}]")
        yield row[:3]


def _tables(text: str) -> list[list[list[str]]]:
    reader = _Tables()
    reader.feed(text)
    reader.close()
    if reader.within:
        raise _reader.broken(f"the page's tables are not well made: a {reader.within[-1]} does not end")
    return [[[" ".join(cell.split()) for cell in row] for row in table] for table in reader.tables]


class _Tables(HTMLParser):
    """Collects the texts of the cells of all tables, row by row. The page has no nested tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell."""
        _ = attrs
        if tag == "table":
            self._open(tag, [])
            self.tables.append([])
        elif tag == "tr":
            self._open(tag, ["table"])
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self._open(tag, ["table", "tr"])
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """End a table, a row or a cell. Errors: SourceBroken if it is not the one begun last."""
        if tag in {"table", "tr", "td", "th"} and (not self.within or self.within.pop() != tag):
            raise _reader.broken(f"the page's tables are not well made at [{self.get_starttag_text()}]")

    def handle_data(self, data: str) -> None:
        """Add text to the current cell."""
        if self.within[-1:] in (["td"], ["th"]):
            self.tables[-1][-1][-1] += data

    def _open(self, tag: str, within: list[str]) -> None:
        if self.within != within:
            raise _reader.broken(f"the page's tables are not well made at [{self.get_starttag_text()}]")
        self.within.append(tag)


adapter: FixingAdapter = WestmetallAdapter()
