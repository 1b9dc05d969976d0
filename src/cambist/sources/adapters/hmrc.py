"""HM Revenue & Customs: the monthly customs rates of the pound, since 2021-01.

Address: `www.trade-tariff.service.gov.uk`, a CSV for each month, with a line for each country. 404 is a month whose
file is not out yet.
Direction: units of foreign currency per pound, valid from the first day of the month.
Published: on the penultimate Thursday of the month before, from the market's rates of the day before.
Oddities: countries that share a currency repeat its rate. A currency that moves by more than 5 % gets a further line
from a day within the month. VED means VES and ZIG means ZWG. ECS, Ecuador's money until 2000, is left out; so is SLE
before 2023-03, when it stood for the old leone.
Known from: answers recorded in the tests of another project.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, KnownFrom, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_FILES = "https://www.trade-tariff.service.gov.uk/uk/api/exchange_rates/files/monthly_csv_"
_FIRST_DAY = date(2021, 1, 1)
_HEADER = ["Country/Territories", "Currency", "Currency Code", "Currency Units per £1", "Start date", "End date"]
_CODES = {"VED": "VES", "ZIG": "ZWG"}
_NEW_LEONE = date(2023, 3, 1)
"""The first month whose SLE is the new leone."""

_reader = PayloadReader("HMRC")


class HmrcAdapter(FixingAdapter):
    """Parses the file of one month."""

    source = Source(
        key="hmrc",
        name="HM Revenue & Customs",
        home="https://www.trade-tariff.service.gov.uk/exchange_rates/monthly",
        terms="https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
        licence="Open Government Licence v3.0",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.MONTHLY,
        covers="some 140 currencies per pound, month by month",
        anchor="GBP",
        zone=ZoneInfo("Europe/London"),
        first_day=_FIRST_DAY,
        compiled=True,
        known_from=KnownFrom.FIXTURE,
        schedule=Schedule(start=time(8), end=time(20), every=timedelta(hours=6), reread_days=62),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the file of each month of the range."""
        month = max(first, _FIRST_DAY).replace(day=1)
        while month <= last:
            following = (month + timedelta(days=32)).replace(day=1)
            yield SourceRequest(
                url=f"{_FILES}{month.year}-{month.month}.csv",
                first=month,
                last=following - timedelta(days=1),
                content_types=("text/csv",),
                no_data_statuses=frozenset({404}),
            )
            month = following

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a file, in its order; a currency once for each day that a rate of it begins."""
        _ = subject
        text = _reader.text(content, "utf-8-sig")
        if not text.endswith("\n"):
            raise _reader.broken("the table is cut off: its last line does not end")
        lines = _reader.csv_rows(text)
        if next(lines, None) != _HEADER:
            raise _reader.broken(f"the table does not begin with its header: [{shorten(text)}]")
        seen: dict[tuple[Pair, date], Decimal] = {}
        for cells in lines:
            if len(cells) != len(_HEADER):
                raise _reader.broken(f"the line [{shorten(','.join(cells))}] has {len(cells)} cells")
            with _reader.cell:
                fixing = _fixing(cells)
                if fixing and seen.setdefault((fixing.pair, fixing.day), fixing.value) is fixing.value:
                    yield fixing
                elif fixing and seen[fixing.pair, fixing.day] != fixing.value:
                    raise _reader.broken(f"{fixing.pair} on {fixing.day} has two rates")
        if not seen:
            raise _reader.broken("the file holds no rate")


def _fixing(cells: list[str]) -> Fixing | None:
    """Return the rate of a line; None if its code stands for no currency of that day."""
    label, rate, first, last = cells[2:]
    day = _reader.day(first, "%d/%m/%Y", since=_FIRST_DAY)
    if _reader.day(last, "%d/%m/%Y", since=day) - day > timedelta(days=31):
        raise _reader.broken(f"the rate of [{shorten(label)}] is valid from {first} to {last}, which is no month")
    if _reader.code(label) == "ECS" or (label == "SLE" and day < _NEW_LEONE):
        return None
    pair = Pair("GBP", _CODES.get(label, label))
    if pair.quote == "GBP":
        raise _reader.broken("a line has the pound against itself")
    return Fixing("hmrc", pair, day, _reader.number(rate, f"{pair} on {day}"))


adapter: FixingAdapter = HmrcAdapter()
