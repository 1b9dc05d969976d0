"""Sveriges Riksbank: daily exchange rates, since 1993.

Address: `api.riksbank.se`, a JSON array of `{seriesId, date, value}`, at most one year per request. Without a key a
few requests a minute are allowed.
Direction: Swedish kronor per foreign unit.
Published: at about 16:15 on Swedish bank days.
Oddities: `SEKUSDPMI` is the dollar; `SEKETT` is the krona against itself. A day without fixings has no entries. The
euro's series begins with values of the ECU, the new rouble's with those of the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_GROUP = "https://api.riksbank.se/swea/v1/Observations/ByGroup/130"
_FIRST_DAY = date(1993, 1, 4)
_ITSELF = "SEKETT"

_PREDECESSORS = {
    "EUR": ("XEU", date(1999, 1, 4)),
    "RUB": ("RUR", CURRENCIES["RUB"].first_day),
}
"""The currency whose values a series begins with, and the first day of its own."""

_reader = PayloadReader("Riksbank")


class _Observation(msgspec.Struct):
    series: str = msgspec.field(name="seriesId")
    date: str
    value: msgspec.Raw


class RiksbankAdapter(FixingAdapter):
    """Parses the JSON of the group of all currencies."""

    source = Source(
        key="riksbank",
        name="Sveriges Riksbank",
        home="https://www.riksbank.se/en-gb/statistics/search-interest--exchange-rates/",
        terms="https://www.riksbank.se/en-gb/about-the-website/terms-of-use/",
        licence="free reuse with attribution; indicative",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 30 currencies against the Swedish krona, and some that have ended",
        anchor="SEK",
        fixed_at=time(16, 15),
        zone=ZoneInfo("Europe/Stockholm"),
        first_day=_FIRST_DAY,
        schedule=Schedule(
            start=time(16, 15), end=time(18), every=timedelta(minutes=15), holidays="SE", pause=timedelta(seconds=15)
        ),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all series, a calendar year at a time: the API refuses more than a year."""
        first = max(first, _FIRST_DAY)
        while first <= last:
            end = min(last, date(first.year, 12, 31))
            # An answer without entries may also be 204 without content.
            yield SourceRequest(
                url=f"{_GROUP}/{first}/{end}",
                first=first,
                last=end,
                content_types=("application/json",),
                no_data_statuses=frozenset({204}),
            )
            first = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the series in the document's order."""
        _ = subject
        seen: set[tuple[str, date]] = set()
        for each in _reader.json(content, list[_Observation]):
            day = _reader.day(each.date, since=_FIRST_DAY)
            code, _ = _reader.unique(seen, (_code(each.series, day), day))
            if code != "SEK":
                pair = Pair(code, "SEK")
                with _reader.cell:
                    yield Fixing("riksbank", pair, day, _reader.json_number(each.value, f"{pair} on {day}"))
            elif _reader.json_number(each.value, f"the krona on {day}") != 1:
                raise _reader.broken(f"the krona on {day} is not worth itself: [{shorten(bytes(each.value).decode())}]")
        if not seen:
            raise NothingPublished("Riksbank: there is no rate for the days asked")
        if not any(code == "USD" for code, _ in seen):
            raise _reader.broken("the document has no rate of the dollar")


def _code(series: str, day: date) -> str:
    """Return the code of the currency that the series stood for on the day."""
    if series == _ITSELF:
        return "SEK"
    code = _reader.code(series.removeprefix("SEK").removesuffix("PMI"))
    if series != f"SEK{code}PMI" or code == "SEK":
        raise _reader.broken(f"[{shorten(series)}] is no rate in kronor")
    predecessor, first = _PREDECESSORS.get(code, (code, date.min))
    return code if day >= first else predecessor


adapter: FixingAdapter = RiksbankAdapter()
