"""Czech National Bank: its daily fixing, since 1993-01-01.

Address: `api.cnb.cz`, JSON by day or by calendar year.
Direction: korunas per `amount` (1, 100 or 1,000) of a foreign currency, and per SDR.
Published: after 14:30 Prague time on working days.
Oddities: a request for a day without a fixing returns the previous fixing, with its own day (`validFor`). A year is
an empty list until its first fixing. Earlier years are in the Czechoslovak koruna, another currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import WEEKDAYS, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_API = "https://api.cnb.cz/cnbapi/exrates/"
_FIRST_DAY = date(1993, 1, 1)
_DAYS_SINGLY = 7

_reader = PayloadReader("CNB")


class _Rate(msgspec.Struct):
    validFor: str  # noqa: N815  the source's own name
    currencyCode: str  # noqa: N815  as above
    amount: int
    rate: msgspec.Raw


class _Document(msgspec.Struct):
    rates: list[_Rate]


class CnbAdapter(FixingAdapter):
    """Parses the fixings of a day or of a year."""

    source = Source(
        key="cnb",
        name="Czech National Bank",
        home="https://www.cnb.cz/en/financial-markets/foreign-exchange-market/",
        terms="https://www.cnb.cz/en/footer/general-terms-and-conditions/",
        licence="free reuse with attribution",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 30 currencies and the SDR against the Czech koruna",
        anchor="CZK",
        fixed_at=time(14, 30),
        zone=ZoneInfo("Europe/Prague"),
        first_day=_FIRST_DAY,
        # Up to a week is requested by day, so the same days are requested again.
        schedule=Schedule(start=time(14, 30), end=time(16), every=timedelta(minutes=10), holidays="CZ", reread_days=6),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request up to a week by weekday, more by calendar year."""
        start = max(first, _FIRST_DAY)
        days = [start + timedelta(days=number) for number in range(min((last - start).days + 1, _DAYS_SINGLY + 1))]
        if len(days) <= _DAYS_SINGLY:
            for day in days:
                if day.weekday() in WEEKDAYS:
                    yield _request(f"daily?date={day}&lang=EN", day, day)
            return
        for year in range(start.year, last.year + 1):
            begin, end = max(start, date(year, 1, 1)), min(last, date(year, 12, 31))
            yield _request(f"daily-year?year={year}&lang=EN", begin, end)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a day or a year, in the document's order."""
        _ = subject
        rates = _reader.json(content, _Document).rates
        if not rates:
            raise NothingPublished("CNB: the year has no fixing yet")
        seen: set[tuple[Pair, date]] = set()
        for rate in rates:
            day = _reader.day(rate.validFor, since=_FIRST_DAY)
            pair, _ = _reader.unique(seen, (Pair(_reader.code(rate.currencyCode), "CZK"), day))
            with _reader.cell:
                amount = _reader.nominal(rate.amount, f"{pair} on {day}")
                yield Fixing("cnb", pair, day, _reader.json_number(rate.rate, f"{pair} on {day}"), amount)


def _request(path: str, first: date, last: date) -> SourceRequest:
    return SourceRequest(url=_API + path, first=first, last=last, content_types=("application/json",))


adapter: FixingAdapter = CnbAdapter()
