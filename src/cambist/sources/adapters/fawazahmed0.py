"""The currency-api of fawazahmed0: units per dollar of currencies, metals and coins, from undisclosed sources.

Address: a package on the jsDelivr CDN, one JSON per day: `date`, and 339 lower-case keys under `usd`. 404 is a day
that was never published.
Direction: units per dollar; precious metals in troy ounces per dollar.
Published: every day, weekends included.
Oddities: besides living currencies the file has coins and ended currencies whose rates still move (HRK, BGN, ZWL,
SLL, VEF, MRO, STD, BYR, ANG), so only the keys of the table below are read. The Syrian pound is not among them: in
2026 it was still in old pounds, of which 100 are one new pound. Pegged currencies move a little (1.80 XCG instead of
1.79), and the rial is the market's. The rates are useful to check others, but weak on their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import EVERY_DAY, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PACKAGE = "https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api"
_FIRST_DAY = date(2024, 3, 2)
_CODES = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP "
    "CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA "
    "MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON "
    "RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XDR XOF XPF YER ZAR ZMW ZWG "
    "XAU XAG XPT XPD"
)
_READ = {code.lower(): Pair("USD", code) for code in _CODES.split()}
"""The living currencies of ISO 4217 except the Syrian pound, and the precious metals, by key."""

_reader = PayloadReader("fawazahmed0")


class _Day(Struct):
    date: str
    usd: dict[str, Raw]


class Fawazahmed0Adapter(FixingAdapter):
    """Parses the JSON of one day."""

    source = Source(
        key="fawazahmed0",
        name="fawazahmed0 currency-api",
        home="https://github.com/fawazahmed0/exchange-api",
        terms="https://github.com/fawazahmed0/exchange-api/blob/main/LICENSE",
        licence="CC0: no rights reserved",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="all living currencies and the four precious metals against the dollar; where from is not disclosed",
        zone=ZoneInfo("UTC"),
        first_day=_FIRST_DAY,
        compiled=True,
        schedule=Schedule(start=time(0, 30), every=timedelta(hours=3), days=EVERY_DAY, reread_days=3),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each day; there are rates on weekends, too."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            yield SourceRequest(
                url=f"{_PACKAGE}@{day}/v1/currencies/usd.min.json",
                first=day,
                last=day,
                content_types=("application/json",),
                no_data_statuses=frozenset({404}),
            )
            day += timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the keys of the table for one day."""
        _ = subject
        document = _reader.json(content, _Day)
        day = _reader.day(document.date, since=_FIRST_DAY)
        if bytes(document.usd.get("usd", b"")) != b"1" or "eur" not in document.usd:
            raise _reader.broken(f"the rates of {day} are not per dollar")
        for key, value in document.usd.items():
            pair = _READ.get(key)
            if pair is not None:
                with _reader.cell:
                    yield Fixing("fawazahmed0", pair, day, _reader.json_number(value, f"{pair} on {day}"))


adapter: FixingAdapter = Fawazahmed0Adapter()
