"""Financial Benchmarks India: reference rates of the rupee, the successor of the Reserve Bank's, since 2018-07-10.

Address: `www.fbil.org.in`, a JSON list, newest day first. An empty list is a range without a working day.
Direction: rupees per 1, 100 or 10,000 units of foreign currency; the name of the rate says which (`INR / 100 JPY`).
Published: shortly after 13:00 Mumbai time, from trades before it. `processRunDate` is the day.
Oddities: there are six currencies; the dirham and the rupiah were added later.
"""

from __future__ import annotations

import re
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

_RATES = "https://www.fbil.org.in/wasdm/refrates/fetchfiltered?authenticated=false"
_FIRST_DAY = date(2018, 7, 10)
_NAME = re.compile(r"INR / ([1-9][0-9]{0,6}) ([A-Z]{3})", re.ASCII)

_reader = PayloadReader("FBIL")


class _Rate(msgspec.Struct, rename="camel"):
    process_run_date: str
    sub_prod_name: str
    rate: msgspec.Raw
    display_time: str = ""


class FbilAdapter(FixingAdapter):
    """Parses the list of reference rates."""

    source = Source(
        key="fbil",
        name="Financial Benchmarks India",
        home="https://www.fbil.org.in/#/refrates",
        terms="https://www.fbil.org.in/#/termsandcondition",
        licence="the benchmark administrator's own terms",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of the benchmark administrator let its rates be passed on.",
        pace=Pace.DAILY,
        covers="6 currencies in rupees",
        anchor="INR",
        fixed_at=time(13),
        zone=ZoneInfo("Asia/Kolkata"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(13, 5), end=time(17), every=timedelta(minutes=15), holidays="IN"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request a calendar year at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, date(start.year, 12, 31))
            url = f"{_RATES}&fromDate={start}&toDate={end}"
            yield SourceRequest(url=url, first=start, last=end, content_types=("application/json",))
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a list, in its order."""
        _ = subject
        rates = _reader.json(content, list[_Rate])
        if not rates:
            raise NothingPublished("FBIL: there is no rate in those days")
        seen: set[tuple[Pair, date]] = set()
        for rate in rates:
            nominal, pair = _parse_name(rate.sub_prod_name)
            day = _reader.day(rate.process_run_date, "%Y-%m-%d 00:00:00", since=_FIRST_DAY)
            _reader.unique(seen, (pair, day))
            with _reader.cell:
                value = _reader.json_number(rate.rate, f"{pair} on {day}")
                published_at = _reader.timestamp(rate.display_time, self.source.zone)
                yield Fixing("fbil", pair, day, value, nominal, published_at=published_at)


def _parse_name(name: str) -> tuple[int, Pair]:
    match = _NAME.fullmatch(name)
    if match is None or match[2] == "INR":
        raise _reader.broken(f"[{shorten(name)}] does not name a rate of the rupee")
    pair = Pair(match[2], "INR")
    return _reader.nominal(match[1], pair), pair


adapter: FixingAdapter = FbilAdapter()
