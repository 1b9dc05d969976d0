"""Hong Kong Monetary Authority: daily rates of its monthly statistical bulletin, since 1981-01-02.

Address: `api.hkma.gov.hk`, JSON, one column per currency in lower case. A page has at most 100 days, so no more are
requested at once.
Direction: Hong Kong dollars per unit of foreign currency, closing middle rates, Saturdays included.
Published: once a month, for the month before. The list is empty for days whose bulletin is not out.
Oddities: `special_drawing_rights` is the SDR; `neeri_…` are indices of the Hong Kong dollar. `null` is a missing
rate. The source's float noise (7.8245000000000005) is kept.
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

_DAILY = (
    "https://api.hkma.gov.hk/public/market-data-and-statistics/monthly-statistical-bulletin/er-ir/er-eeri-daily"
    "?choose=end_of_day"
)
_FIRST_DAY = date(1981, 1, 2)
_PAGE = 100
_CURRENT = "usd gbp jpy cad aud sgd twd chf cny krw thb myr eur php inr idr zar"
_ENDED = "dem nlg bef frf itl"
_PAIRS = {column: Pair(column.upper(), "HKD") for column in f"{_CURRENT} {_ENDED}".split()}
_PAIRS["special_drawing_rights"] = Pair("XDR", "HKD")
_DAY = "end_of_day"

_reader = PayloadReader("HKMA")


class _Header(msgspec.Struct):
    success: bool
    err_code: str


class _Result(msgspec.Struct):
    datasize: int
    records: list[dict[str, msgspec.Raw]]


class _Answer(msgspec.Struct):
    header: _Header
    result: _Result


class HkmaAdapter(FixingAdapter):
    """Parses a page of days."""

    source = Source(
        key="hkma",
        name="Hong Kong Monetary Authority",
        home="https://apidocs.hkma.gov.hk/",
        terms="https://www.hkma.gov.hk/eng/disclaimer/",
        licence="free use with the Authority named",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="17 currencies and the SDR in Hong Kong dollars, a month late, and 5 that have ended",
        anchor="HKD",
        fixed_at=time(17),
        zone=ZoneInfo("Asia/Hong_Kong"),
        first_day=_FIRST_DAY,
        # The newest days come with next month's bulletin, so requests have to reach back that far.
        schedule=Schedule(start=time(9), end=time(19), every=timedelta(hours=3), holidays="HK", reread_days=75),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request as many days at a time as fit on one page."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + timedelta(days=_PAGE - 1))
            page = f"&pagesize={_PAGE}&offset=0&sortby={_DAY}&sortorder=asc"
            yield SourceRequest(
                url=f"{_DAILY}&from={start}&to={end}{page}", first=start, last=end, content_types=("application/json",)
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a page, in its order."""
        _ = subject
        answer = _reader.json(content, _Answer)
        result = answer.result
        if not answer.header.success or result.datasize != len(result.records):
            raise _reader.broken(f"the answer is not whole: code [{shorten(answer.header.err_code)}]")
        if not result.records:
            raise NothingPublished("HKMA: the bulletin of those days is not out")
        seen: set[date] = set()
        fixed = 0
        for record in result.records:
            day = _reader.day(_reader.json(bytes(record.get(_DAY, b"null")), str), since=_FIRST_DAY)
            for fixing in _parse_day(_reader.unique(seen, day), record):
                fixed += 1
                yield fixing
        if not fixed:
            raise _reader.broken("no day of the page has a rate")


def _parse_day(day: date, record: dict[str, msgspec.Raw]) -> Iterator[Fixing]:
    for column, raw in record.items():
        written = bytes(raw)
        if column in _PAIRS and written != b"null":
            pair = _PAIRS[column]
            with _reader.cell:
                yield Fixing("hkma", pair, day, _reader.json_number(raw, f"{pair} on {day}"))
        elif column not in _PAIRS and column != _DAY and not column.startswith("neeri_"):
            with _reader.cell:
                raise _reader.cell_broken(f"it is not known what the column [{shorten(column)}] means")


adapter: FixingAdapter = HkmaAdapter()
