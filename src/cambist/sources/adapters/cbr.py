"""Bank of Russia: official rates and its prices of precious metals, since 1992-07-01.

Address: `www.cbr.ru/scripts`, XML in windows-1251 with decimal commas. Up to a month is requested by day, with all
currencies of the day; more is requested by currency, so that 34 years need 56 requests instead of 12,000.
Direction: roubles per `Nominal` units of a foreign currency, and per gram of gold, silver, platinum and palladium
(the middle of Buy and Sell, which are equal since 2008).
Published: on the working day before the `Date` for which it is set; it holds until the next one.
Oddities: a request for a Sunday returns Saturday's rates. Days before 1998 are in the old rouble (RUR), a thousand of
which became one new rouble. An id also returns the days of a currency that today's replaced, in its unit: a day on
which the code was no money yet is left out. Currencies that have ended are read from single days alone, because their
ids are not known for certain.
Known from: recorded answers of 2016 and 2026; the years before 1998 from documentation alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.anchor import anchor_on
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import EVERY_DAY, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_SCRIPTS = "https://www.cbr.ru/scripts/"
_FIRST_DAY = date(1992, 7, 1)
_DAYS_SINGLY = 31
_DECLARED = '<?xml version="1.0" encoding="windows-1251"'
_MEDIA = ("application/xml", "text/xml")
_METALS = "metals"
_METAL_CODES = {"1": "XAU", "2": "XAG", "3": "XPT", "4": "XPD"}
_LISTED = """
    AED=R01230 AMD=R01060 AUD=R01010 AZN=R01020A BDT=R01685 BGN=R01100 BHD=R01080 BOB=R01105
    BRL=R01115 BYN=R01090B CAD=R01350 CHF=R01775 CNY=R01375 CUP=R01395 CZK=R01760 DKK=R01215
    DZD=R01030 EGP=R01240 ETB=R01800 EUR=R01239 GBP=R01035 GEL=R01210 HKD=R01200 HUF=R01135
    IDR=R01280 INR=R01270 IRR=R01300 JPY=R01820 KGS=R01370 KRW=R01815 KZT=R01335 MDL=R01500
    MMK=R02005 MNT=R01503 NGN=R01520 NOK=R01535 NZD=R01530 OMR=R01540 PLN=R01565 QAR=R01355
    RON=R01585F RSD=R01805F SAR=R01580 SEK=R01770 SGD=R01625 THB=R01675 TJS=R01670 TMT=R01710A
    TRY=R01700J UAH=R01720 USD=R01235 UZS=R01717 VND=R01150 XDR=R01589 ZAR=R01810
"""
_IDS = dict(entry.split("=", 1) for entry in _LISTED.split())

_reader = PayloadReader("CBR")


class CbrAdapter(FixingAdapter):
    """Parses the rates of one day, of one currency over some days, and of the metals over some days."""

    source = Source(
        key="cbr",
        name="Bank of Russia",
        home="https://www.cbr.ru/eng/currency_base/daily/",
        terms="https://www.cbr.ru/eng/user_agreement/",
        licence="reuse with a reference to the Bank of Russia's site",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 54 currencies, the SDR and the four precious metals against the rouble",
        anchor="RUB",
        zone=ZoneInfo("Europe/Moscow"),
        first_day=_FIRST_DAY,
        # A day's rate is published the evening before. No corrections are known, so few days are requested again.
        schedule=Schedule(start=time(0, 30), end=time(18), every=timedelta(hours=2), days=EVERY_DAY, reread_days=6),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request few days by day and many days by currency, and the metals at once."""
        start = max(first, _FIRST_DAY)
        if start > last:
            return
        yield _range_request("xml_metall", start, last, _METALS)
        if last - start >= timedelta(days=_DAYS_SINGLY):
            for code in _IDS:
                yield _range_request("XML_dynamic", start, last, code)
            return
        for number in range((last - start).days + 1):
            day = start + timedelta(days=number)
            url = f"{_SCRIPTS}XML_daily.asp?date_req={day:%d/%m/%Y}"
            yield SourceRequest(url=url, first=day, last=day, content_types=_MEDIA)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one day, or the range of a currency (its code is `subject`) or of the metals."""
        root = _parse_document(content)
        seen: set[tuple[Pair, date]] = set()
        of_range = _parse_metals(root) if subject == _METALS else _parse_currency(root, subject)
        for fixing in of_range if subject else _parse_day(root):
            _reader.unique(seen, (fixing.pair, fixing.day))
            yield fixing
        if not seen and subject:
            # A range between two effective days returns the same document without a record.
            raise NothingPublished("CBR: no rate took effect on the days asked")
        if not seen:
            raise _reader.broken("the document holds no rate")


def _range_request(script: str, first: date, last: date, subject: str) -> SourceRequest:
    url = f"{_SCRIPTS}{script}.asp?date_req1={first:%d/%m/%Y}&date_req2={last:%d/%m/%Y}"
    if subject in _IDS:
        url = f"{url}&VAL_NM_RQ={_IDS[subject]}"
    return SourceRequest(url=url, first=first, last=last, subject=subject, content_types=_MEDIA)


def _parse_document(content: bytes) -> Element:
    if not _reader.text(content, "windows-1251").startswith(_DECLARED):
        raise _reader.broken("the document is another one: it does not declare windows-1251")
    return _reader.xml(content)


def _day(text: str | None) -> date:
    return _reader.day(text, "%d.%m.%Y", since=_FIRST_DAY)


def _records(root: Element, name: str, entry: str) -> Iterator[Element]:
    """Yield the entries of a document. Errors: SourceBroken for another document, or an error message (a text)."""
    if root.get("name") != name or (root.text or "").strip() or any(each.tag != entry for each in root):
        raise _reader.broken(f"the document is none of [{name}]")
    yield from root


def _parse_day(root: Element) -> Iterator[Fixing]:
    for entry in _records(root, "Foreign Currency Market", "Valute"):
        code, day = _reader.code(entry.findtext("CharCode")), _day(root.get("Date"))
        yield from _fixing(code, day, entry)


def _parse_currency(root: Element, code: str) -> Iterator[Fixing]:
    entries = list(_records(root, "Foreign Currency Market Dynamic", "Record"))
    for found in root.get("ID"), *(entry.get("Id") for entry in entries):
        if found != _IDS.get(code):
            raise _reader.broken(f"[{shorten(str(found))}] stands where {code} was asked")
    for entry in entries:
        yield from _fixing(code, _day(entry.get("Date")), entry)


def _fixing(code: str, day: date, entry: Element) -> Iterator[Fixing]:
    """Yield the fixing of an entry, unless its currency was no money yet."""
    # The somoni's id also returns the Tajik rouble, which it replaced at 1,000 to 1.
    code = "TJR" if code == "TJS" and day < CURRENCIES["TJS"].first_day else code
    if code in CURRENCIES and day < CURRENCIES[code].first_day:
        return
    pair = Pair(code, anchor_on("RUB", day))
    with _reader.cell:
        nominal = _reader.nominal(entry.findtext("Nominal"), f"{pair} on {day}")
        yield Fixing("cbr", pair, day, _number(entry, "Value", f"{pair} on {day}"), nominal)


def _parse_metals(root: Element) -> Iterator[Fixing]:
    for entry in _records(root, "Precious metals quotations", "Record"):
        day = _day(entry.get("Date"))
        code = _METAL_CODES.get(entry.get("Code", ""))
        if code is None:
            raise _reader.broken(f"[{shorten(str(entry.get('Code')))}] is none of its metals")
        pair = Pair(code, anchor_on("RUB", day))
        with _reader.cell:
            buy, sell = (_number(entry, side, f"{pair} on {day}") for side in ("Buy", "Sell"))
            yield Fixing("cbr", pair, day, buy if buy == sell else (buy + sell) / 2, unit=GRAM)


def _number(entry: Element, tag: str, what: str) -> Decimal:
    return _reader.number(entry.findtext(tag) or "", what, comma=",")


adapter: FixingAdapter = CbrAdapter()
