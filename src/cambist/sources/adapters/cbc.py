"""Central Bank of the Republic of China (Taiwan): interbank rates at the close in Taipei, since 1993-01-05.

Address: `cpx.cbc.gov.tw`, one JSON document with all days, about 1.2 MB. Its rows have no names: the column says whose
rate it is.
Direction: units of foreign currency per US dollar; the pound, the Australian dollar and the euro are US dollars per
unit.
Published: after 16:00 Taipei time, for that day.
Oddities: `-` is no rate. The Chinese column of 1993 has swap centre rates (7.7 to 10.4 a dollar when the official rate
was 5.8), so it is read from 1994-01-03 on. Mark, franc and guilder end in 2001. The euro's column begins in 1999, and
the dong is the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_ALL_DAYS = "https://cpx.cbc.gov.tw/API/DataAPI/Get?FileName=BP01D01"
_FIRST_DAY = date(1993, 1, 5)
_UNIFIED_YUAN = date(1994, 1, 3)
_CODES = [
    *("TWD", "JPY", "GBP", "HKD", "KRW", "CAD", "SGD", "CNY", "AUD"),
    *("IDR", "THB", "MYR", "PHP", "EUR", "DEM", "FRF", "NLG", "VND"),
]
"""Whose rate each column after the day is."""

_IN_DOLLARS = {"GBP", "AUD", "EUR"}
_MATRIX = "BP01"

_reader = PayloadReader("Central Bank of Taiwan")


class _Meta(msgspec.Struct):
    matrix: str


class _Data(msgspec.Struct, rename="camel"):
    data_sets: list[list[str]]


class _Document(msgspec.Struct):
    meta: _Meta
    data: _Data


class CbcAdapter(FixingAdapter):
    """Parses the document of all days."""

    source = Source(
        key="cbc",
        name="Central Bank of the Republic of China (Taiwan)",
        home="https://www.cbc.gov.tw/en/lp-4237-2.html",
        terms="https://cpx.cbc.gov.tw/",
        licence="public interface of the bank; its note says that the rates are for research and reference",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.DAILY,
        covers="Taiwan's dollar and 14 other currencies against the US dollar, and three that have ended",
        anchor="USD",
        fixed_at=time(16),
        zone=ZoneInfo("Asia/Taipei"),
        first_day=_FIRST_DAY,
        rate_type=RateType.MARKET,
        schedule=Schedule(start=time(16, 30), end=time(20), every=timedelta(hours=1), holidays="TW"),
        disabled_reason="The bank calls these rates a reference for research; passing them on may be forbidden.",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all days at once: there is nothing smaller."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(
                url=_ALL_DAYS, first=start, last=last, content_types=("text/plain", "application/json", "text/json")
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse all days, in their order."""
        _ = subject
        document = _reader.json(content, _Document)
        if document.meta.matrix != _MATRIX or not document.data.data_sets:
            raise _reader.broken("the document is not the table of daily rates")
        seen: set[date] = set()
        found = False
        for text, *rates in document.data.data_sets:
            day = _reader.unique(seen, _reader.day(text, "%Y%m%d", _FIRST_DAY))
            if len(rates) != len(_CODES):
                raise _reader.broken(f"{day} has {len(rates)} columns instead of {len(_CODES)}")
            for code, rate in zip(_CODES, rates, strict=True):
                if rate != "-" and (code != "CNY" or day >= _UNIFIED_YUAN):
                    found = True
                    pair = Pair(code, "USD") if code in _IN_DOLLARS else Pair("USD", code)
                    with _reader.cell:
                        yield Fixing("cbc", pair, day, _reader.number(rate, f"{pair} on {day}"))
        if not found:
            raise _reader.broken("the document holds no rate")


adapter: FixingAdapter = CbcAdapter()
