"""Banco de Portugal: reference rates of the escudo, from 1987-01-02 to 1998-12-31.

Address: BPstat, JSON-stat, ten series and some years of days per page. The pages are numbered; one after the last
answers 404.
Direction: escudos per unit of foreign currency, for the lira and the yen too.
Published: once for all; later rates against the escudo are not the Bank's.
Oddities: the values are a matrix without names: a row for each entry of dimension 12, a column for each day. A row's
currency is in the label of the series with the same entry, `United States, Dollars (USD) against Escudo - daily`;
a row without such a series (it belongs to the next page) is not read. ECU is the XEU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_SERIES = "https://bpstat.bportugal.pt/data/v1/domains/29/datasets/23e0cdd56bddb4ad3016a9c3ad63a539/"
_BANKS_OWN_DAILY_ESCUDO = "dim_cats=13:794&dim_cats=18:35&dim_cats=40:4263"
_FIRST_DAY = date(1987, 1, 2)
_LAST_DAY = date(1998, 12, 31)
_PAGES = range(1, 6)
_LABEL = re.compile(r"[^()]*\((?P<code>[A-Z]{3})\) against Escudo - daily")
_CURRENCY, _DAY = "12", "reference_date"

_reader = PayloadReader("Banco de Portugal")


class _Entry(msgspec.Struct):
    dimension_id: int
    category_id: int


class _OneSeries(msgspec.Struct):
    label: str
    dimension_category: list[_Entry]


class _Extension(msgspec.Struct):
    series: list[_OneSeries]


class _Category(msgspec.Struct):
    index: list[str]


class _Dimension(msgspec.Struct):
    category: _Category


class _Page(msgspec.Struct):
    id: list[str]
    size: list[int]
    extension: _Extension
    value: list[msgspec.Raw]
    dimension: dict[str, _Dimension]


class BdpAdapter(FixingAdapter):
    """Parses one page of series."""

    source = Source(
        key="bdp",
        name="Banco de Portugal",
        home="https://bpstat.bportugal.pt/",
        terms="https://bpstat.bportugal.pt/termsofuse",
        licence="the Bank's own series; its terms are not known",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.DAILY,
        covers="21 currencies in escudos until 1998",
        anchor="PTE",
        fixed_at=time(13),
        zone=ZoneInfo("Europe/Lisbon"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(8), end=time(18), every=timedelta(days=1)),
        disabled_reason="It is not known whether the terms of BPstat let its rates be passed on.",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each page of a calendar year, up to the last day of the escudo's own rates."""
        start, end = max(first, _FIRST_DAY), min(last, _LAST_DAY)
        while start <= end:
            until = min(end, date(start.year, 12, 31))
            for page in _PAGES:
                url = f"{_SERIES}?lang=EN&page={page}&{_BANKS_OWN_DAILY_ESCUDO}&obs_since={start}&obs_to={until}"
                yield SourceRequest(
                    url=url,
                    first=start,
                    last=until,
                    content_types=("application/json",),
                    no_data_statuses=frozenset({404}),
                )
            start = until + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one page, currency by currency."""
        _ = subject
        page = _reader.json(content, _Page)
        codes = _codes(page)
        rows, days = _index(page, _CURRENCY), _index(page, _DAY)
        if len(page.value) != len(rows) * len(days) or page.id[:1] + page.id[-1:] != [_CURRENCY, _DAY]:
            raise _reader.broken(f"the page has {len(page.value)} values in an unknown order")
        if {*page.size[1:-1]} - {1}:
            raise _reader.broken("the page has series of several kinds for a currency")
        parsed_days = [_reader.day(text, since=_FIRST_DAY) for text in days]
        found = False
        for number, category in enumerate(rows):
            code = codes.get(category)
            if not code:
                continue
            for day, raw in zip(parsed_days, page.value[number * len(days) :], strict=False):
                if bytes(raw) != b"null":
                    found = True
                    pair = Pair(code, "PTE")
                    with _reader.cell:
                        yield Fixing("bdp", pair, day, _reader.json_number(raw, f"{pair} on {day}"))
        if not found:
            raise _reader.broken("the page holds no rate")


def _index(page: _Page, name: str) -> list[str]:
    """Return the entries of a dimension, each there once. Errors: SourceBroken."""
    entries = page.dimension[name].category.index if name in page.dimension else []
    if not entries or len({*entries}) != len(entries):
        raise _reader.broken(f"the page has no dimension [{name}], or entries twice")
    return entries


def _codes(page: _Page) -> dict[str, str]:
    """Return the currency code by entry. Errors: SourceBroken."""
    codes: dict[str, str] = {}
    for series in page.extension.series:
        label = _LABEL.fullmatch(series.label)
        if not label:
            raise _reader.broken(f"a series is called [{shorten(series.label)}]")
        for entry in series.dimension_category:
            if entry.dimension_id == int(_CURRENCY):
                codes[str(entry.category_id)] = "XEU" if label["code"] == "ECU" else _reader.code(label["code"])
    if len({*codes.values()}) != len(page.extension.series):
        raise _reader.broken("a currency has no series of its own")
    return codes


adapter: FixingAdapter = BdpAdapter()
