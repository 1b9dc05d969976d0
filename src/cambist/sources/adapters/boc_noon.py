"""Bank of Canada: the noon rates of 2007-05-01 to 2017-04-28, which its daily averages replaced.

Address: the Valet API (group LEGACY_NOON_RATES), JSON.
Direction: Canadian dollars per foreign unit at noon in Ottawa.
Published: never again; the group is closed.
Oddities: only a series' number says what it is. The labels are ambiguous: `USD_NOON` is also a forward rate, and
currencies that were redenominated or began to float have two series. Three series of the group are forwards, not
rates of the day.
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

_GROUP = "https://www.bankofcanada.ca/valet/observations/group/LEGACY_NOON_RATES/json"
_FIRST_DAY = date(2007, 5, 1)
_LAST_DAY = date(2017, 4, 28)
_DOLLAR = "IEXE0101"
_FORWARDS = ("IEXE0105", "IEXE0124", "IEXE0125")
"""The dollar in 90 days, and two spreads of forwards."""

_NUMBERS = {
    "AED": "6506",
    "ANG": "4901",
    "ARS": "2702 2703",  # the second since 2010
    "AUD": "1601",
    "BRL": "2801",
    "BSD": "6001",
    "CHF": "1101",
    "CLP": "2901",
    "CNY": "2201",
    "COP": "3901",
    "CZK": "2301",
    "DKK": "0301",
    "FJD": "4101",
    "GBP": "1201",
    "GHC": "4701",
    "GHS": "4702",
    "GTQ": "6501",
    "HKD": "1401",
    "HNL": "4301",
    "HRK": "6101",
    "HUF": "2501",
    "IDR": "2601",
    "ILS": "5301",
    "INR": "3001",
    "ISK": "4401",
    "JMD": "6401",
    "JPY": "0701",
    "KRW": "3101",
    "LKR": "5501",
    "MAD": "4801",
    "MMK": "3801 3802",  # fixed, and since April 2012 floating
    "MXN": "2001",
    "MYR": "3201",
    "NOK": "0901",
    "NZD": "1901",
    "PAB": "5101",
    "PEN": "5201",
    "PHP": "3301",
    "PKR": "5001",
    "PLN": "2401",
    "RON": "6505",
    "RSD": "6504",
    "RUB": "2101",
    "SEK": "1001",
    "SGD": "3701",
    "SKK": "6201",
    "THB": "3601",
    "TND": "5701",
    "TRY": "5802",
    "TTD": "5601",
    "TWD": "3501",
    "USD": "0101",
    "VEB": "5901",
    "VEF": "5902",
    "VND": "6503",
    "XAF": "4501",
    "XCD": "4001",
    "XPF": "4601",
    "ZAR": "3401",
}
_PAIRS = {f"IEXE{number}": Pair(code, "CAD") for code, numbers in _NUMBERS.items() for number in numbers.split()}
_PAIRS["EUROCAE01"] = Pair("EUR", "CAD")

_reader = PayloadReader("Bank of Canada at noon")


class _Value(msgspec.Struct):
    v: object


class _Answer(msgspec.Struct):
    """In an observation `d` is the day, every other key a series."""

    observations: list[dict[str, str | _Value]]


class BocNoonAdapter(FixingAdapter):
    """Parses the JSON of the closed group."""

    source = Source(
        key="boc_noon",
        name="Bank of Canada (noon rates to 2017)",
        home="https://www.bankofcanada.ca/rates/exchange/legacy-noon-and-closing-rates/",
        terms="https://www.bankofcanada.ca/terms/",
        licence="free reuse with attribution; indicative",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="60 currencies against the Canadian dollar, to April 2017",
        anchor="CAD",
        fixed_at=time(12),
        zone=ZoneInfo("America/Toronto"),
        first_day=_FIRST_DAY,
        # Nothing is published any more, so there is no day on which to poll.
        schedule=Schedule(days=frozenset()),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request a calendar year at a time, up to the last day."""
        first, last = max(first, _FIRST_DAY), min(last, _LAST_DAY)
        while first <= last:
            end = min(last, date(first.year, 12, 31))
            url = f"{_GROUP}?start_date={first}&end_date={end}"
            yield SourceRequest(url=url, first=first, last=end, content_types=("application/json",))
            first = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the days in the document's order."""
        _ = subject
        seen: set[date] = set()
        for observation in _reader.json(content, _Answer).observations:
            day = _reader.unique(seen, _reader.day(observation.get("d"), since=_FIRST_DAY))
            if _DOLLAR not in observation:
                raise _reader.broken(f"{day} has no rate of the dollar")
            yield from _parse_day(day, observation)
        if not seen:
            raise NothingPublished("Bank of Canada at noon: there is no rate for the days asked")


def _parse_day(day: date, observation: dict[str, str | _Value]) -> Iterator[Fixing]:
    fixed: set[Pair] = set()
    for series, value in observation.items():
        if series in _PAIRS and isinstance(value, _Value):
            pair = _reader.unique(fixed, _PAIRS[series])
            with _reader.cell:
                yield Fixing("boc_noon", pair, day, _reader.json_number(value.v, f"{pair} on {day}"))
        elif series != "d" and series not in _FORWARDS:
            with _reader.cell:
                raise _reader.cell_broken(f"it is not known what [{shorten(series)}] is")


adapter: FixingAdapter = BocNoonAdapter()
