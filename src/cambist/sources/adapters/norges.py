"""Norges Bank: daily exchange rates, since 1980-12-10.

Address: `data.norges-bank.no`, SDMX-CSV, one series after the other.
Direction: Norwegian kroner per 10 to the power of `UNIT_MULT` foreign units; `2` is per 100.
Published: at about 16:00 Oslo time on Norwegian working days, from the concertation at 14:15.
Oddities: trailing zeros are left out. The special drawing right is calculated. Two series are indices of the krone,
not currencies. A day without fixings has no lines. Series have today's code for all their years, and the unit of the
years before its currency began is not known: those days are left out.
Known from: a recorded answer of 2026; the years before 1999 from documentation alone, which does not name the first day
for certain, so that 404 is no error there. Currencies that the euro replaced are not in the service.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_SERIES = "https://data.norges-bank.no/api/data/EXR/B..NOK.SP"
_FIRST_DAY = date(1980, 12, 10)
_PROVEN_SINCE = date(1999, 1, 4)
_NO_FIXINGS = frozenset({404})
_HEADER = "FREQ,BASE_CUR,QUOTE_CUR,TENOR,DECIMALS,CALCULATED,UNIT_MULT,COLLECTION,TIME_PERIOD,OBS_VALUE"
_INDICES = ("I44", "TWI")
"""The import-weighted and the trade-weighted krone."""

_reader = PayloadReader("Norges Bank")


class NorgesAdapter(FixingAdapter):
    """Parses the CSV of all series."""

    source = Source(
        key="norges",
        name="Norges Bank",
        home="https://www.norges-bank.no/en/topics/Statistics/exchange_rates/",
        terms="https://www.norges-bank.no/en/topics/Statistics/disclaimer/",
        licence="free reuse with attribution; for information",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 35 currencies and the special drawing right against the Norwegian krone",
        anchor="NOK",
        fixed_at=time(14, 15),
        zone=ZoneInfo("Europe/Oslo"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(15, 55), end=time(18), every=timedelta(minutes=15), holidays="NO"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all series, a calendar year at a time."""
        first = max(first, _FIRST_DAY)
        while first <= last:
            end = min(last, date(first.year, 12, 31))
            url = f"{_SERIES}?format=csvdata&startPeriod={first}&endPeriod={end}"
            absent: frozenset[int] = frozenset() if end >= _PROVEN_SINCE else _NO_FIXINGS
            yield SourceRequest(url=url, first=first, last=end, content_types=("text/csv",), no_data_statuses=absent)
            first = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the series in the file's order."""
        _ = subject
        text = _reader.text(content)
        header, _, lines = text.partition("\n")
        if header.removesuffix("\r") != _HEADER or not text.endswith("\n"):
            raise _reader.broken(f"the file does not begin with its header and end with a line: [{shorten(header)}]")
        seen: set[tuple[str, date]] = set()
        for cells in _reader.csv_rows(lines):
            yield from _row(cells, seen)
        if not any(code == "USD" for code, _ in seen):
            raise _reader.broken("the file has no rate of the dollar")


def _row(cells: list[str], seen: set[tuple[str, date]]) -> Iterator[Fixing]:
    """Yield the fixing of a line, unless it is an index or its currency was no money yet.

    Errors: SourceBroken if it is not a daily rate in kroner.
    """
    if len(cells) != 10:
        raise _reader.broken(f"a line has {len(cells)} cells instead of 10: [{shorten(','.join(cells))}]")
    every, code, quote, tenor, _, calculated, power, collection, of, text = cells
    day = _reader.day(of, since=_FIRST_DAY)
    _reader.unique(seen, (code, day))
    if (every, quote, tenor, collection) != ("B", "NOK", "SP", "C") or code == "NOK":
        raise _reader.broken(f"the line of {day} is no daily rate in kroner: [{shorten(','.join(cells))}]")
    if (code, calculated) not in [(index, "true") for index in _INDICES]:
        pair = Pair(_reader.code(code), "NOK")
        if code in CURRENCIES and day < CURRENCIES[code].first_day:
            return
        with _reader.cell:
            yield Fixing("norges", pair, day, _reader.number(text, f"{pair} on {day}"), _nominal(power, pair))


def _nominal(power: str, pair: Pair) -> int:
    if power not in ("0", "1", "2", "3", "4"):
        raise _reader.broken(f"{pair} is quoted per ten to the power of [{shorten(power)}]")
    return int("1" + "0" * int(power))


adapter: FixingAdapter = NorgesAdapter()
