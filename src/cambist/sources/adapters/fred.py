"""Federal Reserve: the H.10 rates, as JSON from the St. Louis Fed's API, which needs a key.

The module `h10` describes the rates; the adapter `fed` reads them without a key. There is one document per series,
which does not name the series. A missing rate is `.`.
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
    """Parses the JSON of one series."""

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
        """Parse one series; the answer does not name it, so `subject` does."""
        answer = _reader.json(content, _Answer)
        if subject not in SERIES:
            raise _reader.broken(f"it is not known whether [{shorten(subject)}] is a daily rate")
        if (answer.units, answer.offset, answer.count) != ("lin", 0, len(answer.observations)):
            raise _reader.broken(
                f"{subject} is not whole or not as published: {answer.count} rates in [{answer.units}]"
            )
        yield from self.fixings(subject, ((each.date, each.value) for each in answer.observations))


adapter: FixingAdapter = FredAdapter()
