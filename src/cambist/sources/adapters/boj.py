"""Bank of Japan: rates of the Tokyo market at 17:00, since 1998-01-05.

Address: the Bank's time-series API, JSON by whole months, with parallel lists of days and values.
Direction: yen per dollar (series FXERD04) and dollars per euro (FXERD34).
Published: on Japanese working days; requested from 8:55 Tokyo time.
Oddities: every calendar day is listed; `null` is a weekend, a holiday or a day that is not published yet, and a month
may have nothing else. The answer's own `STATUS` counts, not that of HTTP. The message M181030I without a series means
that there is nothing for these months.
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

_DATABASE = "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=FM08"
_FIRST_DAY = date(1998, 1, 5)
_PAIRS = {
    ("FXERD04", "Yen per U.S. Dollar"): Pair("USD", "JPY"),
    ("FXERD34", "U.S. Dollar per Euro"): Pair("EUR", "USD"),
}
_SERIES = ",".join(series for series, _ in _PAIRS)
_NO_DATA = "M181030I"

_reader = PayloadReader("Bank of Japan")


class _Values(msgspec.Struct, rename="upper"):
    survey_dates: list[int]
    values: list[msgspec.Raw]


class _Series(msgspec.Struct, rename="upper"):
    series_code: str
    unit: str
    frequency: str
    values: _Values


class _Answer(msgspec.Struct, rename="upper"):
    status: int
    messageid: str
    nextposition: int | None = None
    resultset: list[_Series] = []


class BojAdapter(FixingAdapter):
    """Parses both series over some months."""

    source = Source(
        key="boj",
        name="Bank of Japan",
        home="https://www.stat-search.boj.or.jp/index_en.html",
        terms="https://www.stat-search.boj.or.jp/info/api_notice_en.pdf",
        licence="free use with the credit that the Bank prescribes",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="the yen per dollar and the dollar per euro in Tokyo",
        anchor="USD",
        fixed_at=time(17),
        zone=ZoneInfo("Asia/Tokyo"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(8, 55), end=time(19), every=timedelta(hours=1), holidays="JP"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the months of one calendar year at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, date(start.year, 12, 31))
            url = f"{_DATABASE}&code={_SERIES}&startDate={start:%Y%m}&endDate={end:%Y%m}"
            yield SourceRequest(url=url, first=start, last=end, content_types=("application/json",))
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse both series, in their order."""
        _ = subject
        answer = _reader.json(content, _Answer)
        if answer.status != 200 or answer.nextposition is not None:
            raise _reader.broken(f"the answer is not whole: status {answer.status}, [{shorten(answer.messageid)}]")
        if answer.messageid == _NO_DATA and not answer.resultset:
            raise NothingPublished("Bank of Japan: there is nothing for those months")
        seen: set[Pair] = set()
        fixings = [fixing for series in answer.resultset for fixing in _parse_series(series, seen)]
        if seen != set(_PAIRS.values()):
            raise _reader.broken(f"the answer has {len(seen)} of the {len(_PAIRS)} series")
        if not fixings:
            raise NothingPublished("Bank of Japan: no day of those months has a rate yet")
        yield from fixings


def _parse_series(series: _Series, seen: set[Pair]) -> Iterator[Fixing]:
    pair = _PAIRS.get((series.series_code, series.unit))
    values = series.values
    if pair is None or series.frequency != "DAILY" or len(values.survey_dates) != len(values.values):
        raise _reader.broken(f"the series [{shorten(series.series_code)}] in [{shorten(series.unit)}] is not as it was")
    _reader.unique(seen, pair)
    days: set[date] = set()
    for written, value in zip(values.survey_dates, values.values, strict=True):
        # Answers cover whole months, so days before the first one are listed too, without a rate.
        is_missing = bytes(value) == b"null"
        since = _FIRST_DAY.replace(day=1) if is_missing else _FIRST_DAY
        day = _reader.unique(days, _reader.day(written, "%Y%m%d", since))
        if not is_missing:
            with _reader.cell:
                yield Fixing("boj", pair, day, _reader.json_number(value, f"{pair} on {day}"))


adapter: FixingAdapter = BojAdapter()
