"""Central Bank of the Congo: indicative rates of the Congolese franc, since 2025-09-01.

Address: `www.bcc.cd`, the data of the Bank's page of rates as its own browser code asks for them (header `RSC: 1`):
lines of a number, a colon and a document. One of them has the history of each currency.
Direction: francs per `unit` of foreign currency; `average` is the Bank's own middle rate.
Published: on working days, Kinshasa time.
Oddities: the history may be there more than once, and a day may be listed twice with different rates: the later one is
that of the Bank's page of that day. Before late August 2025 it has one day a week. Currencies below 5 francs have two
digits, too few to be of use, and are left out.
Known from: answers recorded, in part, in the tests of another project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, KnownFrom, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PAGE = "https://www.bcc.cd/marche-des-changes/cours-de-change"
_FIRST_DAY = date(2025, 9, 1)
_START = re.compile(r"[0-9a-f]{0,6}:")
_LINE = re.compile(r"[0-9a-f]{1,6}:(?P<document>[\[{].*)")
_HISTORY = "history"
_COARSE = frozenset({"AOA", "BIF", "RWF", "TZS", "UGX", "XAF"})

_reader = PayloadReader("BCC (Congo)")


class BcccdAdapter(FixingAdapter):
    """Parses the history of all currencies."""

    source = Source(
        key="bcccd",
        name="Central Bank of the Congo",
        home=_PAGE,
        terms="https://www.bcc.cd/",
        licence="the Bank's site does not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of the Central Bank of the Congo let its rates be passed on.",
        pace=Pace.DAILY,
        covers="14 currencies and the SDR in Congolese francs",
        anchor="CDF",
        fixed_at=time(12),
        zone=ZoneInfo("Africa/Kinshasa"),
        first_day=_FIRST_DAY,
        known_from=KnownFrom.FIXTURE,
        schedule=Schedule(start=time(10), end=time(19), every=timedelta(hours=2), holidays="CD"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the page once: it has all days."""
        start = max(first, _FIRST_DAY)
        if start <= last:
            yield SourceRequest(
                url=_PAGE, first=start, last=last, headers=(("RSC", "1"),), content_types=("text/x-component",)
            )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the history, currency by currency in its order."""
        _ = subject
        rows = _rows(_history(_reader.text(content)))
        found = False
        for (code, day), row in rows.items():
            if code not in _COARSE and day >= _FIRST_DAY and row["average"] is not None:
                found = True
                pair = Pair(code, "CDF")
                with _reader.cell:
                    value = _reader.json_number(row["average"], f"{pair} on {day}")
                    yield Fixing("bcccd", pair, day, value, _reader.nominal(row["unit"], pair))
        if not found:
            raise _reader.broken("the history holds no rate")


def _history(text: str) -> dict[str, Any]:
    """Return the lists of days by code. Errors: SourceBroken."""
    if not (text.endswith("\n") and _START.match(text.splitlines()[-1])):
        raise _reader.broken(f"the answer is cut off, or another: it ends [{shorten(text[-60:])}]")
    lines = [line for line in text.splitlines() if f'"{_HISTORY}"' in line]
    if len(lines) != 1:
        raise _reader.broken(f"{len(lines)} lines have a history instead of one")
    histories = [*_find(_document(lines[0]))]
    if not histories or any(other != histories[0] for other in histories):
        raise _reader.broken("the answer has no history, or two that differ")
    return histories[0]


def _rows(history: dict[str, Any]) -> dict[tuple[str, date], dict[str, Any]]:
    """Return the rows by code and day, of a day listed twice the later one. Errors: SourceBroken."""
    rows: dict[tuple[str, date], dict[str, Any]] = {}
    for code, days in history.items():
        if _reader.code(code) == "CDF" or not isinstance(days, list):
            raise _reader.broken(f"the history has no list of the days of [{shorten(code)}]")
        for row in days:
            if not isinstance(row, dict) or not row.keys() >= {"date", "average", "unit"}:
                raise _reader.broken(f"a day of {code} has other fields: [{shorten(str(row))}]")
            rows[code, _reader.day(row["date"])] = row
    return rows


def _document(line: str) -> Any:
    """Decode the document of a line. Errors: SourceBroken."""
    found = _LINE.fullmatch(line)
    if not found:
        raise _reader.broken(f"the line [{shorten(line)}] is no document")
    return _reader.json_tree(found["document"], Decimal)


def _find(node: Any) -> Iterator[dict[str, Any]]:
    """Yield each history within a document."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and isinstance(node.get(_HISTORY), dict):
        yield node[_HISTORY]
    else:
        for child in children:
            yield from _find(child)


adapter: FixingAdapter = BcccdAdapter()
