"""Bank Negara Malaysia: the ringgit's rates of 9:00, since 2021-01-04.

Address: `api.bnm.gov.my`, JSON of one currency and month. 404, or an empty list, is a month without rates.
Direction: ringgit per `unit` (1 or 100) of foreign currency. The middle rate is the Bank's own.
Published: at about 9:00 Kuala Lumpur time (session 0900) and three times later; only the first is read.
Oddities: the SDR is SDR, and has a middle rate alone. The source's float noise (4.2199999999999998) is kept. `rate` is
a list, or an object if there is one day.
Known from: recorded answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.errors import NothingPublished
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_RATES = "https://api.bnm.gov.my/public/exchange-rate/"
_FIRST_DAY = date(2021, 1, 4)
_CODES = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "AUD", "CAD", "NZD", "SGD", "CNY", "HKD", "TWD", "KRW", "INR"),
    *("IDR", "THB", "PHP", "VND", "KHR", "MMK", "BND", "NPR", "PKR", "SAR", "AED", "EGP", "SDR"),
)
_HEADERS = (("Accept", "application/vnd.BNM.API.v1+json"),)

_reader = PayloadReader("BNM")


class _Rate(Struct):
    """One day. There are no defaults, so that one without these fields is an error."""

    date: str
    middle_rate: Raw


class _Series(Struct):
    currency_code: str
    unit: int
    rate: list[_Rate] | _Rate


class _Meta(Struct):
    quote: str
    session: str


class _Answer(Struct):
    data: list[str] | _Series
    meta: _Meta


class BnmAdapter(FixingAdapter):
    """Parses the answers to one currency and month each."""

    source = Source(
        key="bnm",
        name="Bank Negara Malaysia",
        home="https://www.bnm.gov.my/exchange-rates",
        terms="https://apikijangportal.bnm.gov.my/",
        licence="official rates, published through the Bank's open API",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="26 currencies and the SDR in ringgit",
        anchor="MYR",
        fixed_at=time(9),
        zone=ZoneInfo("Asia/Kuala_Lumpur"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(9, 30), end=time(18), every=timedelta(hours=3), holidays="MY"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each currency for each month of the range."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            following = (start.replace(day=1) + timedelta(days=32)).replace(day=1)
            for code in _CODES:
                yield SourceRequest(
                    url=f"{_RATES}{code}/year/{start.year}/month/{start.month}?session=0900",
                    first=start,
                    last=min(last, following - timedelta(days=1)),
                    headers=_HEADERS,
                    content_types=("application/json", "application/vnd.BNM"),
                    no_data_statuses=frozenset({404}),
                )
            start = following

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the rates of a currency, in their order."""
        _ = subject
        answer = _reader.json(content, _Answer)
        if (answer.meta.quote, answer.meta.session) != ("rm", "0900"):
            raise _reader.broken(f"the rates are of [{answer.meta.quote}], session [{answer.meta.session}]")
        series = answer.data
        if isinstance(series, list) or series.rate == []:
            raise NothingPublished("BNM: nothing was published for the month asked")
        code = "XDR" if series.currency_code == "SDR" else _reader.code(series.currency_code)
        if code == "MYR":
            raise _reader.broken("the answer has the ringgit against itself")
        pair, seen = Pair(code, "MYR"), set[date]()
        for row in [series.rate] if isinstance(series.rate, _Rate) else series.rate:
            day = _reader.unique(seen, _reader.day(row.date, since=_FIRST_DAY))
            if bytes(row.middle_rate) != b"null":
                with _reader.cell:
                    nominal = _reader.nominal(series.unit, pair)
                    yield Fixing("bnm", pair, day, _reader.json_number(row.middle_rate, f"{pair} on {day}"), nominal)


adapter: FixingAdapter = BnmAdapter()
