"""Bank of Mauritius: the banks' average rates of the rupee, since 2001-07-03.

Address: `www.bom.mu`, a page with one table for a span of days.
Direction: rupees per 1 or 100 units of foreign currency; the code says which (`JPY 100`). The exact mean of buying and
selling by telegraphic transfer.
Published: on working days in the afternoon, Port Louis time.
Oddities: the page has a zero byte in its menu, a second table that repeats the rates and a third of today's; only the
main one is read, its cells by their class. A span without rates has no table.
Known from: answers recorded in the tests of another project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from selectolax.lexbor import LexborNode

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, KnownFrom, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PAGE = "https://www.bom.mu/markets/foreign-exchange/consolidated-indicative-exchange-rates"
_FROM, _TO = (f"field_transaction_date_value{part}%5Bvalue%5D%5Bdate%5D" for part in ("", "_1"))
_FIRST_DAY = date(2001, 7, 3)
_SPAN = timedelta(days=30)
_MOST_ZEROS = 8
"""More zero bytes than these are another encoding."""
_LABEL = re.compile(r"(?P<code>[A-Z]{3})\s+(?P<nominal>[0-9]{1,7})")
_VIEW = ".view-display-id-page"
_ROWS = f"{_VIEW} > .view-content > .table-responsive > table > tbody > tr"

_reader = PayloadReader("BOMU")


class BomuAdapter(FixingAdapter):
    """Parses the page of a span of days."""

    source = Source(
        key="bomu",
        name="Bank of Mauritius",
        home=_PAGE,
        terms="https://www.bom.mu/terms-use",
        licence="the Bank's terms of use do not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of the Bank of Mauritius let its rates be passed on.",
        pace=Pace.DAILY,
        covers="some 12 currencies in rupees",
        anchor="MUR",
        fixed_at=time(15),
        zone=ZoneInfo("Indian/Mauritius"),
        first_day=_FIRST_DAY,
        known_from=KnownFrom.FIXTURE,
        schedule=Schedule(start=time(12), end=time(19), every=timedelta(hours=1), holidays="MU"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the days in spans of a month; without its end, the page has the whole archive."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _SPAN)
            url = f"{_PAGE}?{_FROM}={start:%d-%m-%Y}&{_TO}={end:%d-%m-%Y}"
            yield SourceRequest(url=url, first=start, last=end, content_types=("text/html",))
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a page, in its order."""
        _ = subject
        text = _reader.text(content.replace(b"\0", b"", _MOST_ZEROS))
        if not text.rstrip().endswith("</html>") or text.lower().count("</html") != 1:
            raise _reader.broken(f"the page is cut off, or not one: it ends [{shorten(text[-60:])}]")
        page = _reader.html(text)
        if len(page.css(_VIEW)) != 1:
            raise _reader.broken(f"the page has not one element [{_VIEW}]")
        if not page.css(f"{_VIEW} > .view-content"):
            raise NothingPublished("BOMU: nothing was published for the days asked")
        seen: set[tuple[Pair, date]] = set()
        for row in page.css(_ROWS):
            label = _LABEL.fullmatch(_cell(row, "field-currency"))
            if not label or label["code"] == "MUR":
                raise _reader.broken(f"[{shorten(_cell(row, 'field-currency'))}] is no currency with its units")
            day = _reader.day(_cell(row, "field-transaction-date"), "%d-%m-%Y", since=_FIRST_DAY)
            pair, _ = _reader.unique(seen, (Pair(label["code"], "MUR"), day))
            with _reader.cell:
                buying, selling = (_reader.number(_cell(row, side), f"{pair} on {day}") for side in ("php", "php-3"))
                yield Fixing("bomu", pair, day, (buying + selling) / 2, _reader.nominal(label["nominal"], pair))
        if not seen:
            raise _reader.broken("the page has no line of rates")


def _cell(row: LexborNode, name: str) -> str:
    """Return the text of the cell of a class. Errors: SourceBroken if there is not one."""
    found = row.css(f"td.views-field-{name}")
    if len(found) != 1:
        raise _reader.broken(f"a line has not one cell [{name}]: [{shorten(row.text())}]")
    return found[0].text().strip()


adapter: FixingAdapter = BomuAdapter()
