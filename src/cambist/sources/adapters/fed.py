"""Federal Reserve: the H.10 rates, as CSV from the St. Louis Fed, without a key.

The module `h10` describes the rates. There is one file per series, with the header `observation_date,DEXJPUS`. In
older copies the header was `DATE,DEXJPUS` and a missing rate was `.`; now it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.sources.base import FixingAdapter
from cambist.sources.h10 import SERIES, H10Adapter, h10_source
from cambist.sources.parsing import PayloadReader

_GRAPH = "https://fred.stlouisfed.org/graph/fredgraph.csv"
_DAY_HEADERS = ("observation_date", "DATE")

_reader = PayloadReader("Federal Reserve")


class FedAdapter(H10Adapter):
    """Parses the CSV of one series."""

    source = h10_source(
        key="fed",
        name="Federal Reserve",
        home="https://www.federalreserve.gov/releases/h10/",
        terms="https://fred.stlouisfed.org/legal/",
    )
    reader = _reader
    # The content type of downloads has changed several times; it was never that of a web page.
    content_types = ("text/csv", "application/")
    missing = ("", ".")

    def url(self, series: str, first: date, last: date) -> str:
        """Return the address of a CSV file."""
        return f"{_GRAPH}?id={series}&cosd={first}&coed={last}"

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one series, which must be the requested one."""
        series, rows = _table(_reader.text(content, "ascii"))
        if series not in SERIES or subject not in ("", series):
            raise _reader.broken(f"the series is [{shorten(series)}] instead of [{subject}]")
        yield from self.fixings(series, rows)


def _table(text: str) -> tuple[str, Iterator[tuple[str, str]]]:
    """Return the name of the series, and its lines as day and cell."""
    header, *lines = text.replace("\r\n", "\n").split("\n")
    day, _, series = header.partition(",")
    if day not in _DAY_HEADERS or not lines or lines[-1]:
        raise _reader.broken(f"the file does not begin with its header and end with a line: [{shorten(header)}]")
    return series, map(_cells, lines[:-1])


def _cells(line: str) -> tuple[str, str]:
    cells = line.split(",")
    if len(cells) != 2:
        raise _reader.broken(f"a line has {len(cells)} cells instead of 2: [{shorten(line)}]")
    return cells[0], cells[1]


adapter: FixingAdapter = FedAdapter()
