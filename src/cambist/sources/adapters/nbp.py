"""National Bank of Poland: average rates, and its price of gold.

Address: `api.nbp.pl`, JSON, at most 93 days per request. 404 means that no table falls into the range.
Direction: zlotys per unit of a foreign currency, and zlotys per gram of gold.
Published: table A (traded currencies) every working day, table B (all others) on Wednesdays, both since 2002-01-02
and of 11:00 Warsaw time; gold since 2013-01-02.
Oddities: rates of weak currencies have few digits (0.0238 for the birr). Table B kept some codes after the end of
their currencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_API = "https://api.nbp.pl/api"
_FIRST_DAY = date(2002, 1, 2)
_FIRST_GOLD = date(2013, 1, 2)
_AT_ONCE = timedelta(days=93)
_TABLES = ("A", "B")
_GOLD = "gold"
_SUCCESSORS = {
    # Table B used these codes for values of their successors, from this day on.
    "AON": ("AOA", _FIRST_DAY),
    "BYB": ("BYR", _FIRST_DAY),
    "AFA": ("AFN", date(2003, 1, 7)),
    "ZWR": ("ZWL", date(2009, 2, 25)),
}

_reader = PayloadReader("NBP")


class _Rate(msgspec.Struct):
    code: str
    mid: msgspec.Raw


class _Table(msgspec.Struct):
    table: str
    effectiveDate: str  # noqa: N815  the source's own name
    rates: list[_Rate]


class _GoldPrice(msgspec.Struct):
    data: str
    cena: msgspec.Raw


class NbpAdapter(FixingAdapter):
    """Parses tables A and B and the price of gold."""

    source = Source(
        key="nbp",
        name="National Bank of Poland",
        home="https://nbp.pl/en/statistic-and-financial-reporting/rates/",
        terms="https://api.nbp.pl/en.html",
        licence="public interface of the bank; free reuse with attribution",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 150 currencies against the zloty (32 daily, the others weekly), and gold",
        anchor="PLN",
        fixed_at=time(11),
        zone=ZoneInfo("Europe/Warsaw"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(11, 45), end=time(14), every=timedelta(minutes=15), holidays="PL"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request both tables and gold, 93 days at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _AT_ONCE - timedelta(days=1))
            for table in _TABLES:
                yield _request(f"exchangerates/tables/{table}", start, end, table)
            if end >= _FIRST_GOLD:
                yield _request("cenyzlota", max(start, _FIRST_GOLD), end, _GOLD)
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse tables of one kind (`subject` is A or B), or prices of gold."""
        seen: set[tuple[Pair, date]] = set()
        for fixing in _parse_gold(content) if subject == _GOLD else _parse_tables(content, subject):
            _reader.unique(seen, (fixing.pair, fixing.day))
            yield fixing
        if not seen:
            raise _reader.broken("the document holds no rate")


def _request(path: str, first: date, last: date, subject: str) -> SourceRequest:
    return SourceRequest(
        url=f"{_API}/{path}/{first}/{last}/?format=json",
        first=first,
        last=last,
        subject=subject,
        content_types=("application/json",),
        no_data_statuses=frozenset({404}),
    )


def _parse_tables(content: bytes, subject: str) -> Iterator[Fixing]:
    for table in _reader.json(content, list[_Table]):
        if table.table != subject or not table.rates:
            raise _reader.broken(
                f"a table [{table.table}] of {len(table.rates)} rates stands where [{subject}] was asked"
            )
        yield from _parse_day(_reader.day(table.effectiveDate, since=_FIRST_DAY), table.rates)


def _parse_day(day: date, rates: Iterable[_Rate]) -> Iterator[Fixing]:
    for rate in rates:
        code = _reader.code(rate.code)
        successor, since = _SUCCESSORS.get(code, ("", day))
        pair = Pair(successor if successor and day >= since else code, "PLN")
        with _reader.cell:
            yield Fixing("nbp", pair, day, _reader.json_number(rate.mid, f"{pair} on {day}"))


def _parse_gold(content: bytes) -> Iterator[Fixing]:
    pair = Pair("XAU", "PLN")
    for price in _reader.json(content, list[_GoldPrice]):
        day = _reader.day(price.data, since=_FIRST_GOLD)
        with _reader.cell:
            yield Fixing("nbp", pair, day, _reader.json_number(price.cena, f"{pair} on {day}"), unit=GRAM)


adapter: FixingAdapter = NbpAdapter()
