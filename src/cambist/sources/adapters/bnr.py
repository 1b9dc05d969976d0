"""National Bank of Romania: reference rates, since 2005-07-01.

Address: `curs.bnr.ro`, one XML file per year; the current year's is updated every day.
Direction: lei per `multiplier` (1 if absent, else 100) units of a foreign currency, per SDR, and per gram of gold.
Published: shortly after 13:00 Bucharest time on working days.
Oddities: since 2026 the namespace begins with https instead of http. The new leu began on 2005-07-01; the days before
it in the file of 2005 are in the old leu, another currency, and are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_YEARS = "https://curs.bnr.ro/files/xml/years/"
_FIRST_DAY = date(2005, 7, 1)
_FIRST_FILE = date(2005, 1, 1)
_SPACES = ("{https://www.bnr.ro/xsd}", "{http://www.bnr.ro/xsd}")

_reader = PayloadReader("BNR")


class BnrAdapter(FixingAdapter):
    """Parses any of the files."""

    source = Source(
        key="bnr",
        name="National Bank of Romania",
        home="https://www.bnr.ro/en/561-exchange-rates",
        terms="https://www.bnr.ro/en/561-exchange-rates",
        licence="published for free use with the bank named as the source",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 35 currencies, the SDR and gold against the leu",
        anchor="RON",
        fixed_at=time(13),
        zone=ZoneInfo("Europe/Bucharest"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(13), end=time(16), holidays="RO"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the file of each year of the range."""
        start = max(first, _FIRST_DAY)
        for year in range(start.year, last.year + 1):
            begin, end = max(start, date(year, 1, 1)), min(last, date(year, 12, 31))
            if begin <= end:
                yield SourceRequest(
                    url=f"{_YEARS}nbrfxrates{year}.xml", first=begin, last=end, content_types=("text/xml",)
                )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse any of the files, oldest day first."""
        _ = subject
        seen: set[date] = set()
        for cube in _cubes(_reader.xml(content)):
            day = _reader.unique(seen, _reader.day(cube.get("date"), since=_FIRST_FILE))
            if day >= _FIRST_DAY:
                yield from _parse_day(day, cube)
        if not seen or max(seen) < _FIRST_DAY:
            raise _reader.broken("the document holds no day of the leu")


def _cubes(root: Element) -> Iterator[Element]:
    space = next((space for space in _SPACES if root.tag == f"{space}DataSet"), None)
    if space is None or root.findtext(f"{space}Body/{space}OrigCurrency") != "RON":
        raise _reader.broken("the document is not a data set in RON")
    yield from root.iterfind(f"{space}Body/{space}Cube")


def _parse_day(day: date, cube: Element) -> Iterator[Fixing]:
    fixed: set[Pair] = set()
    for entry in cube:
        if not entry.tag.endswith("}Rate"):
            raise _reader.broken(f"{day} holds [{shorten(entry.tag)}]")
        pair = _reader.unique(fixed, Pair(_reader.code(entry.get("currency")), "RON"))
        with _reader.cell:
            value = _reader.number(entry.text or "", f"{pair} on {day}")
            nominal = _reader.nominal(entry.get("multiplier", "1"), f"{pair} on {day}")
            yield Fixing("bnr", pair, day, value, nominal, GRAM if pair.base == "XAU" else "")
    if not fixed:
        raise _reader.broken(f"{day} has no rate")


adapter: FixingAdapter = BnrAdapter()
