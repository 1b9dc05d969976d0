"""The European Central Bank's euro foreign exchange reference rates.

Units of foreign currency per euro, of the concertation at 14:10 to 14:15 Frankfurt time, since 1999-01-04.
The full history is a zip of one CSV: `Date,USD,JPY,…,` newest day first, `N/A` where a currency had no rate,
a trailing comma on every line.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, time
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import FeedBroken, shown
from cambist.feeds.base import Feed, Source
from cambist.history.fixing import Fixing
from cambist.market.pair import Pair

_CODE = re.compile(r"[A-Z]{3}")
_RATE = re.compile(r"\d{1,9}(\.\d{1,9})?")
_ABSENT = {"N/A", ""}
_LARGEST = 64 * 1024 * 1024


class EcbFeed(Feed):
    """Reads the history file; the daily ones share its columns."""

    source = Source(
        key="ecb",
        name="European Central Bank",
        home="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
        terms="https://www.ecb.europa.eu/services/disclaimer/html/index.en.html",
        licence="free reuse with attribution; for information, not for transactions",
        anchor="EUR",
        fixed_at=time(14, 15),
        zone=ZoneInfo("Europe/Berlin"),
        first_day=date(1999, 1, 4),
    )

    def read(self, content: bytes) -> Iterator[Fixing]:
        """Read `eurofxref-hist.zip` or the CSV in it, in the file's order."""
        rows = csv.reader(io.StringIO(_text(content)))
        pairs = _pairs(next(rows, []))
        seen: set[date] = set()
        for cells in rows:
            day = _day(cells, seen)
            if len(cells) < len(pairs) + 1:
                raise FeedBroken(f"ECB: the line of {day} has {len(cells)} cells instead of {len(pairs) + 1}")
            for pair, cell in zip(pairs, cells[1:], strict=False):
                if cell.strip() not in _ABSENT:
                    yield Fixing(self.source.key, pair, day, _value(cell, pair, day))
        if not seen:
            raise FeedBroken("ECB: the file holds no day")


def _text(content: bytes) -> str:
    try:
        return (_unzipped(content) if content[:2] == b"PK" else content).decode("ascii")
    except (zipfile.BadZipFile, zlib.error, EOFError, UnicodeDecodeError, NotImplementedError) as error:
        raise FeedBroken(f"ECB: the file cannot be read: {error}") from error


def _unzipped(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) != 1 or members[0].file_size > _LARGEST:
            raise FeedBroken("ECB: the zip does not hold one CSV of a credible size")
        return archive.read(members[0])


def _pairs(header: list[str]) -> list[Pair]:
    codes = [cell.strip() for cell in header[1:] if cell.strip()]
    if not header or header[0].strip() != "Date" or "USD" not in codes or not all(map(_CODE.fullmatch, codes)):
        raise FeedBroken(f"ECB: the file does not begin with its header: [{shown(','.join(header))}]")
    return [Pair("EUR", code) for code in codes]


def _day(cells: list[str], seen: set[date]) -> date:
    try:
        day = date.fromisoformat(cells[0].strip())
    except (ValueError, IndexError):
        raise FeedBroken(f"ECB: a line does not begin with a date: [{shown(','.join(cells))}]") from None
    if day in seen:
        raise FeedBroken(f"ECB: {day} stands twice")
    seen.add(day)
    return day


def _value(cell: str, pair: Pair, day: date) -> Decimal:
    text = cell.strip()
    value = Decimal(text) if _RATE.fullmatch(text) else Decimal(0)
    if not value > 0:
        raise FeedBroken(f"ECB: {pair} on {day} is no rate: [{shown(text)}]")
    return value


feed: Feed = EcbFeed()
