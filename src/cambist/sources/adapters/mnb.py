"""Hungarian National Bank: official rates, since 1999-01-04.

Address: a SOAP service at `www.mnb.hu`. The answer is XML whose text is another XML document, newest day first; an
empty `MNBExchangeRates` means that no rate is of the requested days.
Direction: forints per `unit` (1 or 100) of a foreign currency, with decimal commas.
Published: at 11:00 Budapest time on working days.
Oddities: a request must name the currencies, or days come without rates. A currency without a rate on a day is left
out of the day. The service has days back to 1949; only those since 1999 are requested.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_ADDRESS = "https://www.mnb.hu/arfolyamok.asmx"
_FIRST_DAY = date(1999, 1, 4)
_AT_ONCE = timedelta(days=365)
_CURRENCIES = (
    "AUD,BRL,CAD,CHF,CNY,CZK,DKK,EUR,GBP,HKD,IDR,ILS,INR,ISK,JPY,KRW,"
    "MXN,MYR,NOK,NZD,PHP,PLN,RON,RSD,RUB,SEK,SGD,THB,TRY,UAH,USD,ZAR,"
    # Currencies that have ended since 1999.
    "BGN,EEK,GRD,HRK,LTL,LVL,ROL,SIT,SKK"
)
_HEADERS = (
    ("Content-Type", "text/xml; charset=utf-8"),
    ("SOAPAction", "http://www.mnb.hu/webservices/MNBArfolyamServiceSoap/GetExchangeRates"),
)
_ENVELOPE = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
    '<GetExchangeRates xmlns="http://www.mnb.hu/webservices/"><startDate>{first}</startDate><endDate>{last}</endDate>'
    "<currencyNames>{currencies}</currencyNames></GetExchangeRates></soap:Body></soap:Envelope>"
)
_SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
_MNB = "{http://www.mnb.hu/webservices/}"
_RESULT = f"{_SOAP}Body/{_MNB}GetExchangeRatesResponse/{_MNB}GetExchangeRatesResult"

_reader = PayloadReader("MNB")


class MnbAdapter(FixingAdapter):
    """Parses the rates of a range of days."""

    source = Source(
        key="mnb",
        name="Hungarian National Bank",
        home="https://www.mnb.hu/en/arfolyamok",
        terms="https://www.mnb.hu/letoltes/documentation-on-the-mnb-s-web-service-on-current-and-historic-exchange-rates.pdf",
        licence="public service of the bank; its documentation sets no limits to reuse",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="32 currencies against the forint, and 9 that have ended",
        anchor="HUF",
        alias="HUX",
        fixed_at=time(11),
        zone=ZoneInfo("Europe/Budapest"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(11), end=time(14), every=timedelta(minutes=15), holidays="HU"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request 365 days at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _AT_ONCE - timedelta(days=1))
            body = _ENVELOPE.format(first=start, last=end, currencies=_CURRENCIES).encode("ascii")
            yield SourceRequest(
                url=_ADDRESS, first=start, last=end, headers=_HEADERS, body=body, content_types=("text/xml",)
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse an answer, newest day first."""
        _ = subject
        seen: set[date] = set()
        # The answer declares no encoding; decoding it as text first enforces UTF-8.
        for entry in _days(_reader.xml(_reader.text(content).encode("utf-8"))):
            day = _reader.unique(seen, _reader.day(entry.get("date"), since=_FIRST_DAY))
            yield from _parse_day(day, entry)
        if not seen:
            raise NothingPublished("MNB: no rate is of the days asked")


def _days(envelope: Element) -> Iterator[Element]:
    """Yield the days of the document inside the SOAP envelope."""
    result = envelope.findtext(_RESULT) if envelope.tag == f"{_SOAP}Envelope" else None
    if not result:
        raise _reader.broken("the answer holds no result")
    root = _reader.xml(result.encode("utf-8"))
    if root.tag != "MNBExchangeRates" or (root.text or "").strip() or any(entry.tag != "Day" for entry in root):
        raise _reader.broken(f"the result is not its own: [{shorten(result)}]")
    yield from root


def _parse_day(day: date, rates: Element) -> Iterator[Fixing]:
    fixed: set[Pair] = set()
    for entry in rates:
        pair = _reader.unique(fixed, Pair(_reader.code(entry.get("curr")), "HUF"))
        with _reader.cell:
            unit = _reader.nominal(entry.get("unit"), f"{pair} on {day}")
            yield Fixing("mnb", pair, day, _reader.number(entry.text or "", f"{pair} on {day}", comma=","), unit)
    if not fixed:
        raise _reader.broken(f"{day} has no rate")


adapter: FixingAdapter = MnbAdapter()
