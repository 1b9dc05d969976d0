"""China Foreign Exchange Trade System: the central parity of the yuan, the official rate of each morning.

Address: `www.chinamoney.com.cn`, JSON of all pairs for a span of days, by POST; 50 days a page at most.
Direction: the header says it for each pair: `USD/CNY` and `100JPY/CNY` are yuan per unit or hundred units, `CNY/THB` is
foreign currency per yuan.
Published: at 09:15 Beijing time.
Oddities: `---` is a missing rate. Pairs have come and gone: only the header says which value is whose.
Known from: answers recorded in the tests of another project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, KnownFrom, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_RATES = "https://www.chinamoney.com.cn/ags/ms/cm-u-bk-ccpr/CcprHisNew"
_FIRST_DAY = date(2014, 1, 2)
_SPAN = timedelta(days=58)
"""59 days with the first never have more than 50 weekdays."""
_LABEL = re.compile(r"(?P<nominal>[1-9]0{0,4})?(?P<base>[A-Z]{3})/(?P<quote>[A-Z]{3})")

_reader = PayloadReader("CFETS")


class _Record(Struct):
    date: str
    values: list[str]


class _Data(Struct):
    head: list[str]
    pageTotal: int  # noqa: N815  the source's own name


class _Answer(Struct):
    """There are no defaults, so that an answer without one of the fields is an error."""

    data: _Data
    records: list[_Record]


class CfetsAdapter(FixingAdapter):
    """Parses the answers of all pairs."""

    source = Source(
        key="cfets",
        name="China Foreign Exchange Trade System",
        home="https://www.chinamoney.com.cn/english/bmkcpr/",
        terms="https://www.chinamoney.com.cn/english/llsss/",
        licence="the site's terms do not allow passing its data on without consent",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of chinamoney.com.cn let its rates be passed on.",
        pace=Pace.DAILY,
        covers="25 currencies against the yuan",
        anchor="CNY",
        fixed_at=time(9, 15),
        zone=ZoneInfo("Asia/Shanghai"),
        first_day=_FIRST_DAY,
        known_from=KnownFrom.FIXTURE,
        schedule=Schedule(start=time(9, 16), end=time(12), every=timedelta(minutes=20), holidays="CN"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all pairs, in spans of 59 days."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _SPAN)
            yield SourceRequest(
                url=f"{_RATES}?startDate={start}&endDate={end}&pageNum=1&pageSize=50",
                first=start,
                last=end,
                headers=(("Content-Type", "application/x-www-form-urlencoded"),),
                body=b"currency=",
                content_types=("application/json",),
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse an answer, day by day in its order."""
        _ = subject
        answer = _reader.json(content, _Answer)
        if answer.data.pageTotal > 1:
            raise _reader.broken(f"the answer is only the first of {answer.data.pageTotal} pages")
        labels = [_pair(label) for label in answer.data.head]
        if len({pair for pair, _ in labels}) != len(labels) or not labels:
            raise _reader.broken("the header has no pairs, or one twice")
        if not answer.records:
            raise NothingPublished("CFETS: nothing was published for the days asked")
        seen: set[date] = set()
        for record in answer.records:
            day = _reader.unique(seen, _reader.day(record.date, since=_FIRST_DAY))
            if len(record.values) != len(labels):
                raise _reader.broken(f"{day} has {len(record.values)} values for {len(labels)} pairs")
            for (pair, nominal), text in zip(labels, record.values, strict=True):
                if text != "---":
                    with _reader.cell:
                        yield Fixing("cfets", pair, day, _reader.number(text, f"{pair} on {day}"), nominal)


def _pair(label: str) -> tuple[Pair, int]:
    """Return the pair of a label such as `100JPY/CNY`, and the nominal."""
    found = _LABEL.fullmatch(label)
    if not found or (found["base"] == "CNY") == (found["quote"] == "CNY"):
        raise _reader.broken(f"[{shorten(label)}] is no pair of the yuan")
    return Pair(found["base"], found["quote"]), int(found["nominal"] or 1)


adapter: FixingAdapter = CfetsAdapter()
