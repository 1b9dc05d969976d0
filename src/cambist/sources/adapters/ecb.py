"""European Central Bank: euro foreign exchange reference rates, since 1999-01-04.

Address: `www.ecb.europa.eu/stats/eurofxref`. The last 90 days are XML (`Cube time` over `Cube currency rate`); the
whole history is a zip of one CSV: `Date,USD,JPY,…,`, newest day first, `N/A` for no rate, a trailing comma on every
line.
Direction: units of foreign currency per euro.
Published: at about 16:00 Frankfurt time on TARGET days, from the concertation at 14:10 to 14:15.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, time, timedelta
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader, is_code

_FILES = "https://www.ecb.europa.eu/stats/eurofxref/"
_FIRST_DAY = date(1999, 1, 4)
_DOLLAR = Pair("EUR", "USD")
_CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"
_DAYS_OF_XML = 85
_MISSING = ("N/A", "")

_reader = PayloadReader("ECB")


class EcbAdapter(FixingAdapter):
    """Parses the XML of recent days and the file of the full history."""

    source = Source(
        key="ecb",
        name="European Central Bank",
        home="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
        terms="https://www.ecb.europa.eu/services/disclaimer/html/index.en.html",
        licence="free reuse with attribution; for information, not for transactions",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="29 currencies against the euro, and 12 that have ended",
        anchor="EUR",
        fixed_at=time(14, 15),
        zone=ZoneInfo("Europe/Berlin"),
        first_day=_FIRST_DAY,
        outranks_pegs=True,
        schedule=Schedule(start=time(15, 55), end=time(18), every=timedelta(minutes=10), holidays="XECB"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the last 90 days as XML if they are enough, else the whole history."""
        is_recent = last - first <= timedelta(days=_DAYS_OF_XML)
        name = "eurofxref-hist-90d.xml" if is_recent else "eurofxref-hist.zip"
        # The web server may send the zip with a generic content type.
        content_types = ("text/xml", "application/xml") if is_recent else ("application/",)
        yield SourceRequest(url=_FILES + name, first=first, last=last, content_types=content_types)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse any of the ECB's files, in the file's order."""
        _ = subject
        yield from _parse_xml(content) if content.lstrip()[:1] == b"<" else _parse_csv(content)


def _parse_xml(content: bytes) -> Iterator[Fixing]:
    root = _reader.xml(content)
    seen: set[date] = set()
    for cube in root.iterfind(f"{_CUBE}/{_CUBE}"):
        day = _reader.unique(seen, _reader.day(cube.get("time"), since=_FIRST_DAY))
        yield from _parse_day(day, ((_pair(entry), entry.get("rate", "")) for entry in cube))
    if not seen:
        raise _reader.broken("the document holds no day")


def _pair(entry: Element) -> Pair:
    return Pair("EUR", _reader.code(entry.get("currency")))


def _parse_csv(content: bytes) -> Iterator[Fixing]:
    text = _reader.text(_unzip(content) if content[:2] == b"PK" else content, "ascii")
    header, *lines = text.removesuffix("\n").split("\n")
    pairs = _pairs(header.removesuffix("\r").split(","))
    seen: set[date] = set()
    for line in lines:
        cells = line.removesuffix("\r").split(",")
        day = _reader.unique(seen, _reader.day(cells[0], since=_FIRST_DAY))
        if len(cells) != len(pairs) + 2 or cells[-1].strip():
            raise _reader.broken(f"the line of {day} has {len(cells)} cells instead of {len(pairs) + 2}")
        yield from _parse_day(day, zip(pairs, (cell.strip() for cell in cells[1:-1]), strict=True))
    if not seen:
        raise _reader.broken("the file holds no day")


def _parse_day(day: date, rates: Iterable[tuple[Pair, str]]) -> Iterator[Fixing]:
    """Yield a day's fixings. A day without the dollar is an error: nothing else could be converted to it."""
    fixed: set[Pair] = set()
    for pair, text in rates:
        if text not in _MISSING:
            _reader.unique(fixed, pair)
            with _reader.cell:
                yield Fixing("ecb", pair, day, _reader.number(text, f"{pair} on {day}"))
    if _DOLLAR not in fixed:
        raise _reader.broken(f"{day} has no rate of the dollar")


def _unzip(content: bytes) -> bytes:
    archive = _reader.unpacker(content)
    if len(archive.names) != 1:
        raise _reader.broken("the zip does not hold one CSV of a credible size")
    with _reader.bounded():
        return archive.read(archive.names[0])


def _pairs(header: list[str]) -> list[Pair]:
    first, *codes, last = [cell.strip() for cell in header] if len(header) > 2 else ["", "", ""]
    pairs = [Pair("EUR", code) for code in codes if is_code(code)]
    if first != "Date" or last or len(set(pairs)) != len(codes) or _DOLLAR not in pairs:
        raise _reader.broken(f"the file does not begin with its header: [{shorten(','.join(header))}]")
    return pairs


adapter: FixingAdapter = EcbAdapter()
