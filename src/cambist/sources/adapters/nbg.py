"""National Bank of Georgia: official rates, since 1995-10-14.

Address: `nbg.gov.ge`, JSON, one day per request.
Direction: lari per `quantity` (1 to 10,000) units of foreign currency.
Published: at about 17:00 Tbilisi time (`date`) for the following day (`validFromDate`); a rate holds until the next
one.
Oddities: the answer about a day is the rate in force on it, with its own `validFromDate`: Saturday's for a Monday,
the holiday's for the day after a holiday. So a fixing's day is `validFromDate`. The list is empty for days before the
first rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_DAY = "https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/?date="
_FIRST_DAY = date(1995, 10, 14)
_SUNDAY = 6

_reader = PayloadReader("NBG")


class _Rate(msgspec.Struct, rename="camel"):
    code: str
    quantity: int
    rate: msgspec.Raw
    valid_from_date: str
    date: str = ""


class _Rates(msgspec.Struct):
    date: str
    currencies: list[_Rate]


class NbgAdapter(FixingAdapter):
    """Parses the rates in force on a day."""

    source = Source(
        key="nbg",
        name="National Bank of Georgia",
        home="https://nbg.gov.ge/en/monetary-policy/currency",
        terms="https://nbg.gov.ge/en/monetary-policy/currency",
        licence="official rates, published without terms of their own",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="42 currencies in lari",
        anchor="GEL",
        zone=ZoneInfo("Asia/Tbilisi"),
        first_day=_FIRST_DAY,
        # Rates are for Tuesdays to Saturdays, holidays too, and published the evening before.
        schedule=Schedule(
            start=time(0, 15), end=time(12), every=timedelta(hours=3), days=frozenset({1, 2, 3, 4, 5}), reread_days=7
        ),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each day except Sundays: Monday's answer has the same rates."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            if day.weekday() != _SUNDAY:
                yield SourceRequest(url=f"{_DAY}{day}", first=day, last=day, content_types=("application/json",))
            day += timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the rates of one day, in their order."""
        _ = subject
        answer = _reader.json(content, list[_Rates])
        if not answer:
            raise NothingPublished("NBG: no rates were in force on that day")
        if len(answer) != 1 or not answer[0].currencies:
            raise _reader.broken(f"the list holds {len(answer)} days, and not one with rates")
        day = _reader.day(answer[0].date, "%Y-%m-%dT00:00:00.000Z", since=_FIRST_DAY)
        seen: set[Pair] = set()
        for rate in answer[0].currencies:
            if rate.valid_from_date != answer[0].date or rate.code == "GEL":
                raise _reader.broken(
                    f"[{shorten(rate.code)}] is for [{shorten(rate.valid_from_date)}] and not for {day}"
                )
            pair = _reader.unique(seen, Pair(_reader.code(rate.code), "GEL"))
            with _reader.cell:
                value = _reader.json_number(rate.rate, f"{pair} on {day}")
                # The Z is wrong: the time is Tbilisi's.
                published_at = _reader.timestamp(rate.date, self.source.zone)
                yield Fixing("nbg", pair, day, value, _reader.nominal(rate.quantity, pair), published_at=published_at)


adapter: FixingAdapter = NbgAdapter()
