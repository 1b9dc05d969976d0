"""The European Central Bank's euro foreign exchange reference rates.

Units of foreign currency per euro, of the concertation at 14:10 to 14:15 Frankfurt time, since 1999-01-04.
The full history is a zip of one CSV: `Date,USD,JPY,…,` newest day first, `N/A` where a currency had no rate,
a trailing comma on every line.
"""

from __future__ import annotations

import io
import lzma
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
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_RATE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_DOLLAR = Pair("EUR", "USD")
_ABSENT = {"N/A", ""}
_LARGEST = 64 * 1024 * 1024
_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
"""All that the standard library raises over damaged zips and text; NotImplementedError is a RuntimeError."""


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
        header, *lines = _text(content).removesuffix("\n").split("\n")
        pairs = _pairs(header.removesuffix("\r").split(","))
        seen: set[date] = set()
        for line in lines:
            yield from self._of_day(line.removesuffix("\r").split(","), pairs, seen)
        if not seen:
            raise FeedBroken("ECB: the file holds no day")

    def _of_day(self, cells: list[str], pairs: list[Pair], seen: set[date]) -> Iterator[Fixing]:
        day = self._day(cells[0].strip(), seen)
        if len(cells) != len(pairs) + 2 or cells[-1].strip():
            raise FeedBroken(f"ECB: the line of {day} has {len(cells)} cells instead of {len(pairs) + 2}")
        for pair, cell in zip(pairs, cells[1:-1], strict=True):
            if cell.strip() not in _ABSENT:
                yield Fixing(self.source.key, pair, day, _value(cell.strip(), pair, day))
            elif pair == _DOLLAR:
                raise FeedBroken(f"ECB: {day} has no rate of the dollar")

    def _day(self, text: str, seen: set[date]) -> date:
        try:
            day = date.fromisoformat(text) if _DAY.fullmatch(text) else date.min
        except ValueError:
            day = date.min
        if day < self.source.first_day:
            raise FeedBroken(f"ECB: a line begins with no date since {self.source.first_day}: [{shown(text)}]")
        if day in seen:
            raise FeedBroken(f"ECB: {day} stands twice")
        seen.add(day)
        return day


def _text(content: bytes) -> str:
    try:
        return (_unzipped(content) if content[:2] == b"PK" else content).decode("ascii")
    except _UNREADABLE as error:
        raise FeedBroken(f"ECB: the file cannot be read: {error}") from error


def _unzipped(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) != 1 or members[0].file_size > _LARGEST:
            raise FeedBroken("ECB: the zip does not hold one CSV of a credible size")
        return archive.read(members[0])


def _pairs(header: list[str]) -> list[Pair]:
    first, *codes, last = [cell.strip() for cell in header] if len(header) > 2 else ["", "", ""]
    pairs = [Pair("EUR", code) for code in codes if _CODE.fullmatch(code)]
    if first != "Date" or last or len(set(pairs)) != len(codes) or _DOLLAR not in pairs:
        raise FeedBroken(f"ECB: the file does not begin with its header: [{shown(','.join(header))}]")
    return pairs


def _value(text: str, pair: Pair, day: date) -> Decimal:
    value = Decimal(text) if _RATE.fullmatch(text) else Decimal(0)
    if not value > 0:
        raise FeedBroken(f"ECB: {pair} on {day} is no rate: [{shown(text)}]")
    return value


feed: Feed = EcbFeed()
