"""South African Reserve Bank: weighted averages of the rand, since 2000-01-03.

Address: `custom.resbank.co.za`, JSON of one series and a span of days, in the order of the newest first.
Direction: for the dollar, the pound and the euro rand per unit, for all others foreign currency per rand. The name of
the series in the answer says which, and is checked.
Published: after 11:00 Johannesburg time; averages of the banks' rates at about 10:30.
Oddities: rates per rand have four digits, so that a rate of 0.0465 is exact to a tenth of a percent only. The kwacha of
Zambia is not restated: before 2013 it was the old one (ZMK). A day without a rate is missing.
Known from: recorded answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_SERIES = "https://custom.resbank.co.za/SarbWebApi/WebIndicators/Shared/GetTimeseriesObservations/"
_FIRST_DAY = date(2000, 1, 3)
_SPAN = timedelta(days=365)
_NEW_KWACHA = date(2013, 1, 1)

_IN_RAND = {"EXCX135D": ("USD", "US Dollar"), "EXCZ001D": ("GBP", "British Pound"), "EXCZ002D": ("EUR", "Euro")}
_PER_RAND = {
    "EXCB080D": ("AUD", "Australia: Dollar"),
    "EXCB051D": ("BWP", "Botswana: Pula"),
    "EXCB036D": ("BRL", "Brazil: Real"),
    "EXCB031D": ("CAD", "Canada: Dollar"),
    "EXCB121D": ("CNY", "China: Yuan"),
    "EXCB003D": ("DKK", "Denmark: Krone"),
    "EXCB122D": ("HKD", "Hong Kong: Dollar"),
    "EXCB123D": ("INR", "India: Rupee"),
    "EXCB094D": ("ILS", "Israel: Shekel"),
    "EXCB120D": ("JPY", "Japan: Yen"),
    "EXCB059D": ("KES", "Kenya: Schilling"),
    "EXCB063D": ("MWK", "Malawi: Kwacha"),
    "EXCB081D": ("NZD", "New Zealand: Dollar"),
    "EXCB013D": ("NOK", "Norway: Krone"),
    "EXCB015D": ("SEK", "Sweden: Krona"),
    "EXCB016D": ("CHF", "Switzerland: Franc"),
    "EXCB126D": ("TWD", "Taiwan: NT Dollar"),
    "EXCB115D": ("THB", "Thailand: Baht"),
    "EXCB071D": ("ZMW", "Zambia: Kwacha"),
}
_CODES = {f"Rand per {name}": code for code, name in _IN_RAND.values()} | {
    f"{name} per Rand": code for code, name in _PER_RAND.values()
}
"""The codes by the name of the series."""

_reader = PayloadReader("SARB")


class _Observation(Struct):
    """One day. There are no defaults, so that one without these fields is an error."""

    Period: str
    Timeseries: str
    Value: Raw


class SarbAdapter(FixingAdapter):
    """Parses the answers to one series each."""

    source = Source(
        key="sarb",
        name="South African Reserve Bank",
        home="https://www.resbank.co.za/en/home/what-we-do/statistics/key-statistics/selected-historical-rates",
        terms="https://www.resbank.co.za/en/home/terms-and-conditions",
        licence="the Bank's terms do not say clearly whether its data may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of the South African Reserve Bank let its rates be passed on.",
        pace=Pace.DAILY,
        covers="22 currencies in rand or per rand",
        anchor="ZAR",
        fixed_at=time(10, 30),
        zone=ZoneInfo("Africa/Johannesburg"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(11), end=time(17), every=timedelta(hours=1), holidays="ZA"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each series, in spans of a year."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _SPAN)
            for series in (*_IN_RAND, *_PER_RAND):
                yield SourceRequest(
                    url=f"{_SERIES}{series}/{start}/{end}", first=start, last=end, content_types=("application/json",)
                )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a series, in its order."""
        _ = subject
        rows = _reader.json(content, list[_Observation])
        if not rows and content.strip() == b"[]":
            raise NothingPublished("SARB: nothing was published for the days asked")
        seen: set[date] = set()
        for row in rows:
            day = _reader.unique(seen, _reader.day(row.Period, "%Y-%m-%dT00:00:00", since=_FIRST_DAY))
            pair = _pair(row.Timeseries, rows[0].Timeseries, day)
            if bytes(row.Value) != b"null":
                with _reader.cell:
                    yield Fixing("sarb", pair, day, _reader.json_number(row.Value, f"{pair} on {day}"))


def _pair(name: str, expected: str, day: date) -> Pair:
    """Return the pair of a series. Errors: SourceBroken if the name is unknown, or not that of the first row."""
    code = _CODES.get(name)
    if code is None or name != expected:
        raise _reader.broken(f"[{shorten(name)}] is no series of rates that it is known to publish")
    if code == "ZMW" and day < _NEW_KWACHA:
        code = "ZMK"
    return Pair(code, "ZAR") if name.startswith("Rand per ") else Pair("ZAR", code)


adapter: FixingAdapter = SarbAdapter()
