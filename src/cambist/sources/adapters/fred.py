"""The Federal Reserve's H.10 foreign exchange rates, from the St. Louis Fed's API, which needs a key.

The rates that the feed `fed` reads without a key (see `h10`), as one JSON document for each series. It does not name
its series, and a missing rate is `.`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import msgspec

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.sources.base import FixingAdapter
from cambist.sources.h10 import SERIES, H10Adapter, h10_source
from cambist.sources.parsing import PayloadReader

_OBSERVATIONS = "https://api.stlouisfed.org/fred/series/observations"

_reader = PayloadReader("FRED")


class _Observation(msgspec.Struct):
    date: str
    value: str


class _Answer(msgspec.Struct):
    """`units` says what was done to the values: `lin` is nothing."""

    units: str
    count: int
    offset: int
    observations: list[_Observation]


class FredAdapter(H10Adapter):
    """Reads the JSON of one series."""

    source = h10_source(
        key="fred",
        name="Federal Reserve (FRED API)",
        home="https://fred.stlouisfed.org/docs/api/fred/",
        terms="https://fred.stlouisfed.org/docs/api/terms_of_use.html",
        setting="fred_key",
        disabled_reason="needs a key of one's own (setting fred_key)",
    )
    reader = _reader
    content_types = ("application/json",)
    missing = (".",)

    def url(self, series: str, first: date, last: date) -> str:
        """Return the address of the observations, with a place for the key."""
        return (
            f"{_OBSERVATIONS}?series_id={series}&api_key={{key}}&file_type=json"
            f"&observation_start={first}&observation_end={last}"
        )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Read one series: the one that was asked for, which the answer does not name."""
        answer = _reader.json(content, _Answer)
        if subject not in SERIES:
            raise _reader.broken(f"nobody knows whether [{shorten(subject)}] is a daily rate")
        if (answer.units, answer.offset, answer.count) != ("lin", 0, len(answer.observations)):
            raise _reader.broken(
                f"{subject} is not whole or not as published: {answer.count} rates in [{answer.units}]"
            )
        yield from self.fixings(subject, ((each.date, each.value) for each in answer.observations))


adapter: FixingAdapter = FredAdapter()
