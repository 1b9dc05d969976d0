"""Bank of Canada: daily average exchange rates, since 2017-01-03.

Address: the Valet API (group FX_RATES_DAILY), JSON.
Direction: Canadian dollars per foreign unit, the average of the day.
Published: by 16:30 Ottawa time.
Oddities: `seriesDetail` names each series (`FXUSDCAD` is `USD/CAD`), `observations` has only the series with a rate
on that day. A currency that has ended is in the first and no longer in the second. A range without a working day has
no observations. The zloty exists since 2026-05.
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

_GROUP = "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json"
_FIRST_DAY = date(2017, 1, 3)

_reader = PayloadReader("Bank of Canada")


class _Detail(msgspec.Struct):
    label: str


class _Value(msgspec.Struct):
    v: object


class _Answer(msgspec.Struct):
    """In an observation `d` is the day, every other key a series."""

    series: dict[str, _Detail] = msgspec.field(name="seriesDetail")
    observations: list[dict[str, str | _Value]]


class BocAdapter(FixingAdapter):
    """Parses the JSON of the group of daily rates."""

    source = Source(
        key="boc",
        name="Bank of Canada",
        home="https://www.bankofcanada.ca/rates/exchange/daily-exchange-rates/",
        terms="https://www.bankofcanada.ca/terms/",
        licence="free reuse with attribution; indicative",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 25 currencies against the Canadian dollar",
        anchor="CAD",
        fixed_at=time(16),
        zone=ZoneInfo("America/Toronto"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(16, 30), end=time(19), every=timedelta(minutes=15), holidays="CA"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all series and days at once."""
        first = max(first, _FIRST_DAY)
        if first <= last:
            url = f"{_GROUP}?start_date={first}&end_date={last}"
            yield SourceRequest(url=url, first=first, last=last, content_types=("application/json",))

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the days in the document's order."""
        _ = subject
        answer = _reader.json(content, _Answer)
        pairs = {series: _pair(series, detail.label) for series, detail in answer.series.items()}
        seen: set[date] = set()
        for observation in answer.observations:
            day = _reader.unique(seen, _reader.day(observation.get("d"), since=_FIRST_DAY))
            if "FXUSDCAD" not in observation:
                raise _reader.broken(f"{day} has no rate of the dollar")
            for series, value in observation.items():
                if series != "d":
                    with _reader.cell:
                        yield _fixing(pairs, series, day, value)
        if not seen:
            raise NothingPublished("Bank of Canada: there is no rate for the days asked")


def _pair(series: str, label: str) -> Pair:
    """Return the pair of a series. Errors: SourceBroken if its name and label disagree."""
    code = _reader.code(series.removeprefix("FX").removesuffix("CAD"))
    if code == "CAD" or (series, label) != (f"FX{code}CAD", f"{code}/CAD"):
        raise _reader.broken(f"[{shorten(series)}] is called [{shorten(label)}], which is no rate in Canadian dollars")
    return Pair(code, "CAD")


def _fixing(pairs: dict[str, Pair], series: str, day: date, value: str | _Value) -> Fixing:
    if not isinstance(value, _Value):
        raise _reader.cell_broken(f"{series} on {day} is no rate: [{shorten(value)}]")
    if series not in pairs:
        raise _reader.cell_broken(f"[{shorten(series)}] has a rate, but no name")
    return Fixing("boc", pairs[series], day, _reader.json_number(value.v, f"{pairs[series]} on {day}"))


adapter: FixingAdapter = BocAdapter()
