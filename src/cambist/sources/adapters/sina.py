"""Sina: bid and ask of the LME's three-month aluminium, copper, lead, nickel and zinc.

Address: `hq.sinajs.cn`, GBK text, one line per metal: `var
hq_str_hf_CAD="last,change,bid,ask,high,low,time,…,date,name";`. Without the Referer of Sina's own pages the answer is
403.
Direction: dollars per tonne.
Published: current prices only. Date and time are Beijing's.
Oddities: there are no stated terms. The change may be empty, and cells may follow the name. A metal that Sina does
not know has an empty text. Three-month prices have their own symbols: XCU-3M is not XCU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.sources.base import PairNames, Redistribution, Schedule, Source, SourceRequest, TickAdapter
from cambist.sources.parsing import PayloadReader

_METALS = {"CAD": "XCU-3M", "AHD": "XAL-3M", "ZSD": "XZN-3M", "PBD": "XPB-3M", "NID": "XNI-3M"}
_URL = "https://hq.sinajs.cn/list=" + ",".join(f"hf_{code}" for code in _METALS)
_BEIJING = ZoneInfo("Asia/Shanghai")
_LINE = re.compile(r'var hq_str_hf_([A-Z]+)="([^"]*)";\r?\n?', re.ASCII)
_TIME = "%Y-%m-%d %H:%M:%S"
_CELLS = {14, 15}

_reader = PayloadReader("Sina")


class SinaAdapter(TickAdapter):
    """Parses the lines of the five metals."""

    source = Source(
        key="sina",
        name="Sina Finance",
        home="https://finance.sina.com.cn/futuremarket/",
        terms="https://www.sina.com.cn/intro/copyright.shtml",
        licence="no terms are stated; the prices are the London Metal Exchange's",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        covers="bid and ask of five base metals at the London Metal Exchange, three months forward",
        zone=_BEIJING,
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(every=timedelta(seconds=30), days=frozenset(range(6))),  # Friday's market ends on Saturday
        rate_type=RateType.MARKET,
        disabled_reason="Sina states no terms for these prices, which are the London Metal Exchange's: ask before use.",
    )

    def requests(self) -> Sequence[SourceRequest]:
        """Request all five metals at once."""
        return (SourceRequest(url=_URL, headers=(("Referer", "https://finance.sina.com.cn/"),)),)

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse all five metals."""
        _ = subject, names
        seen: set[str] = set()
        for line in _reader.text(content, "gbk").splitlines(keepends=True):
            match = _LINE.fullmatch(line)
            if match is None or match[1] not in _METALS:
                raise _reader.broken(f"[{shorten(line)}] is no line of its own")
            yield _tick(_reader.unique(seen, match[1]), match[2].split(","))
        if len(seen) != len(_METALS):
            raise _reader.broken(f"{', '.join(sorted(_METALS.keys() - seen))} are missing")


def _tick(code: str, cells: list[str]) -> Tick:
    if len(cells) not in _CELLS:
        raise _reader.broken(f"the line of {code} has {len(cells)} cells")
    pair = Pair(_METALS[code], "USD")
    return Tick(
        "sina", pair, _reader.number(cells[2], pair), _reader.number(cells[3], pair), _moment(cells[12], cells[6])
    )


def _moment(day: str, hour: str) -> datetime:
    """Return the moment. Errors: SourceBroken if it would not be written in the same way."""
    text = f"{day} {hour}"
    try:
        found = datetime.strptime(text, _TIME).replace(tzinfo=_BEIJING)
    except ValueError:
        found = None
    if found is None or found.strftime(_TIME) != text or found.year < 2000:
        raise _reader.broken(f"[{shorten(text)}] is no moment")
    return found.astimezone(UTC)


adapter: TickAdapter = SinaAdapter()
