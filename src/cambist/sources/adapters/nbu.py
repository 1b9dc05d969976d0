"""National Bank of Ukraine: official rates, since 1999-01-04.

Address: `bank.gov.ua`, a JSON list.
Direction: hryvnias per `units` (1 to 1,000) of a foreign currency, per SDR, and per troy ounce of the four precious
metals. `rate` is for `units`; `rate_per_unit` is not used.
Published: set on one working day (`calcdate`) for another (`exchangedate`, the fixing's day).
Oddities: days without a rate of their own, such as weekends, are listed with the last rate. Ended currencies continue
under their old codes with the values of their successors.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.tables import CURRENCIES
from cambist.sources.base import EVERY_DAY, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_ADDRESS = "https://bank.gov.ua/NBU_Exchange/exchange_site"
_FIRST_DAY = date(1999, 1, 4)


class _Renamed(NamedTuple):
    """From `since` to the day before `until`, `label` means `code`, and its units are divided by `fewer`."""

    label: str
    code: str
    since: date = date.min
    until: date = date.max
    fewer: int = 1


_RENAMED = (
    # The somoni's code is used for values of the Tajik rouble, which it replaced at 1,000 to 1.
    _Renamed("TJS", "TJR", until=CURRENCIES["TJS"].first_day),
    # These codes are used for values of the currencies' successors. Where that divided the rate, `units` stayed
    # the same: 10,000 means 100 new lira, lei or manats, and 1,000 means 100 new leva.
    _Renamed("RUR", "RUB"),
    _Renamed("BGL", "BGN", since=date(1999, 8, 1), until=date(2000, 1, 1)),
    _Renamed("BGL", "BGN", since=date(2000, 1, 1), fewer=10),
    _Renamed("TRL", "TRY", since=date(2005, 1, 6), fewer=100),
    _Renamed("ROL", "RON", since=date(2005, 7, 1), fewer=100),
    _Renamed("AZM", "AZN", since=date(2006, 1, 6), fewer=100),
    _Renamed("TMM", "TMT", since=date(2009, 1, 6), fewer=100),
)

_reader = PayloadReader("NBU")


class _Record(msgspec.Struct):
    exchangedate: str
    cc: str
    rate: msgspec.Raw
    units: int


class NbuAdapter(FixingAdapter):
    """Parses the list of all rates of a range of days."""

    source = Source(
        key="nbu",
        name="National Bank of Ukraine",
        home="https://bank.gov.ua/en/markets/exchangerates",
        terms="https://bank.gov.ua/en/useterms",
        licence="reuse with attribution and a link to the bank",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 40 currencies, the SDR and the four precious metals against the hryvnia",
        anchor="UAH",
        zone=ZoneInfo("Europe/Kyiv"),
        first_day=_FIRST_DAY,
        # A day's rate is published the evening before, so it is requested from the beginning of the day.
        schedule=Schedule(start=time(0, 30), end=time(18), every=timedelta(hours=2), days=EVERY_DAY),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all rates, a calendar year (some four megabytes) at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, date(start.year, 12, 31))
            days = f"start={start:%Y%m%d}&end={end:%Y%m%d}"
            url = f"{_ADDRESS}?{days}&sort=exchangedate&order=asc&json="
            yield SourceRequest(url=url, first=start, last=end, content_types=("application/json",))
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the list, in its order."""
        _ = subject
        seen: set[tuple[Pair, date]] = set()
        for record in _reader.json(content, list[_Record]):
            with _reader.cell:
                fixing = _fixing(record)
                _reader.unique(seen, (fixing.pair, fixing.day))
                yield fixing
        if not seen:
            raise _reader.broken("the list holds no rate")


def _fixing(record: _Record) -> Fixing:
    day = _reader.day(record.exchangedate, "%d.%m.%Y", since=_FIRST_DAY)
    code, fewer = _resolve_code(_reader.code(record.cc), day)
    pair = Pair(code, "UAH")
    units = _reader.nominal(record.units, f"{pair} on {day}")
    if units % fewer:
        raise _reader.broken(f"{pair} on {day} is quoted per [{units}] units of [{record.cc}]")
    return Fixing("nbu", pair, day, _reader.json_number(record.rate, f"{pair} on {day}"), units // fewer)


def _resolve_code(label: str, day: date) -> tuple[str, int]:
    """Return the currency that a label stands for on a day, and the divisor of its written `units`."""
    for renamed in _RENAMED:
        if renamed.label == label and renamed.since <= day < renamed.until:
            return renamed.code, renamed.fewer
    return label, 1


adapter: FixingAdapter = NbuAdapter()
