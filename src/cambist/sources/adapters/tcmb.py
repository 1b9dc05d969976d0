"""Central Bank of the Republic of Türkiye: indicative rates, since 1996-04-16.

Address: `www.tcmb.gov.tr/kurlar`, one XML file per working day, in ISO-8859-9 or UTF-8. 404 is a day without a
bulletin.
Direction: lira per `Unit` (1 or 100) of foreign currency, the exact middle of ForexBuying and ForexSelling.
Published: at 15:30 Istanbul time, dated with that day.
Oddities: a currency with only one of the two prices has no rate, except XDR, which has only ForexBuying, at the
dollar's middle rate. Empty tags are missing rates. Files before 2005 are in old lira (TRL), a million of which became
one new lira.
Known from: a recorded bulletin of 2016; the bulletins before 2005 from documentation alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from cambist.history.fixing import Fixing
from cambist.pricing.anchor import anchor_on, anchors_of
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_FILES = "https://www.tcmb.gov.tr/kurlar/"
_FIRST_DAY = date(1996, 4, 16)
_DAY = timedelta(days=1)
_NO_BULLETIN = frozenset({404})

_reader = PayloadReader("TCMB")


class TcmbAdapter(FixingAdapter):
    """Parses a day's bulletin."""

    source = Source(
        key="tcmb",
        name="Central Bank of the Republic of Türkiye",
        home="https://www.tcmb.gov.tr/wps/wcm/connect/EN/TCMB+EN/Main+Menu/Statistics/Exchange+Rates",
        terms="https://www.tcmb.gov.tr/wps/wcm/connect/EN/TCMB+EN/Bottom+Menu/Other/Disclaimer",
        licence="free use with the Bank named; indicative only",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="about 20 currencies and the SDR in lira",
        anchor="TRY",
        fixed_at=time(15, 30),
        zone=ZoneInfo("Europe/Istanbul"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(15, 35), end=time(18), every=timedelta(minutes=15), holidays="TR"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the bulletin of each weekday."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            if day.weekday() < 5:
                url = f"{_FILES}{day:%Y%m}/{day:%d%m%Y}.xml"
                content_types = ("text/xml", "application/xml")
                yield SourceRequest(
                    url=url, first=day, last=day, content_types=content_types, no_data_statuses=_NO_BULLETIN
                )
            day += _DAY

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a bulletin, in its order."""
        _ = subject
        root = _reader.xml(content)
        if root.tag != "Tarih_Date":
            raise _reader.broken("the document is not a bulletin")
        day = _reader.day(root.get("Tarih"), "%d.%m.%Y", since=_FIRST_DAY)
        seen: set[tuple[Pair, date]] = set()
        fixed = 0
        for entry in root:
            pair, _ = _reader.unique(seen, (_pair(entry, day), day))
            with _reader.cell:
                nominal = _reader.nominal(_text(entry, "Unit"), pair)
                value = _value(entry, pair, day)
                if value is not None:
                    fixed += 1
                    yield Fixing("tcmb", pair, day, value, nominal)
        if not fixed:
            raise _reader.broken(f"the bulletin of {day} holds no rate")


def _pair(entry: Element, day: date) -> Pair:
    code = _reader.code(entry.get("Kod"))
    if entry.tag != "Currency" or code in anchors_of("TRY"):
        raise _reader.broken(f"the bulletin holds a [{entry.tag}] of [{code}]")
    return Pair(code, anchor_on("TRY", day))


def _value(entry: Element, pair: Pair, day: date) -> Decimal | None:
    buying, selling = _text(entry, "ForexBuying"), _text(entry, "ForexSelling")
    if pair.base == "XDR" and buying and not selling:
        return _reader.number(buying, f"{pair} on {day}")
    sides = [_reader.number(text, f"{pair} on {day}") for text in (buying, selling) if text]
    return (sides[0] + sides[1]) / 2 if len(sides) == 2 else None


def _text(entry: Element, tag: str) -> str:
    """Return the text of the only element with this tag; it may be empty."""
    found = entry.findall(tag)
    if len(found) != 1 or len(found[0]):
        raise _reader.broken(f"[{entry.get('Kod')}] has not one {tag}")
    return found[0].text or ""


adapter: FixingAdapter = TcmbAdapter()
