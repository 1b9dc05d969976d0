"""Bank of Israel: representative exchange rates, since 2003-01-02.

Address: the Bank's SDMX API, CSV with one line per currency and day.
Direction: new shekels per 10 to the power of `UNIT_MULT` units of foreign currency (2 for the yen, 1 for the Lebanese
pound).
Published: at about 15:15 Jerusalem time.
Oddities: a day without a rate has no line. The euro's predecessors were published per 10, 100 or 1,000 units, but
`UNIT_MULT` did not say so; days before 2003 are not requested. `CBK_L` is the Bank's currency basket, not a currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_RATES = (
    "https://edge.boi.gov.il/FusionEdgeServer/sdmx/v2/data/dataflow/BOI.STATISTICS/EXR/1.0/"
    "?c%5BDATA_TYPE%5D=OF00&format=csv"
)
_FIRST_DAY = date(2003, 1, 2)
_COLUMNS = (
    "SERIES_CODE,FREQ,BASE_CURRENCY,COUNTER_CURRENCY,UNIT_MEASURE,DATA_TYPE,DATA_SOURCE,TIME_COLLECT,CONF_STATUS,"
    "PUB_WEBSITE,UNIT_MULT,COMMENTS,TIME_PERIOD,OBS_VALUE,RELEASE_STATUS"
)
_HEADER = _COLUMNS.split(",")
_ALWAYS = {"FREQ": "D", "COUNTER_CURRENCY": "ILS", "UNIT_MEASURE": "ILS", "DATA_TYPE": "OF00"}
_NOMINALS = {"0": 1, "1": 10, "2": 100, "3": 1000}
_BASKET = "CBK_L"

_reader = PayloadReader("Bank of Israel")


class BoiAdapter(FixingAdapter):
    """Parses the official rates of all currencies."""

    source = Source(
        key="boi",
        name="Bank of Israel",
        home="https://www.boi.org.il/en/economic-roles/financial-markets/exchange-rates/",
        terms="https://www.boi.org.il/en/terms-of-use",
        licence="free use with the Bank named",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="14 currencies in new shekels",
        anchor="ILS",
        fixed_at=time(15, 15),
        zone=ZoneInfo("Asia/Jerusalem"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(12, 30), end=time(18), every=timedelta(minutes=15), holidays="IL"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request a calendar year at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, date(start.year, 12, 31))
            url = f"{_RATES}&startperiod={start}&endperiod={end}"
            yield SourceRequest(url=url, first=start, last=end, content_types=("text/csv",))
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, in its order."""
        _ = subject
        text = _reader.text(content)
        if not text.endswith("\n"):
            raise _reader.broken("the table is cut off")
        rows = _reader.csv_rows(text)
        header = next(rows, [])
        if header != _HEADER:
            raise _reader.broken(f"the table does not begin with its header: [{shorten(','.join(header))}]")
        seen: set[tuple[Pair, date]] = set()
        for row in map(_by_column, rows):
            if row["BASE_CURRENCY"] != _BASKET:
                with _reader.cell:
                    yield _fixing(row, seen)
        if not seen:
            raise _reader.broken("the table holds no rate")


def _by_column(cells: list[str]) -> dict[str, str]:
    if len(cells) != len(_HEADER):
        raise _reader.broken(f"the line [{shorten(','.join(cells))}] has {len(cells)} cells instead of {len(_HEADER)}")
    row = dict(zip(_HEADER, cells, strict=True))
    for column, value in _ALWAYS.items():
        if row[column] != value:
            raise _reader.broken(f"the line of [{shorten(row['SERIES_CODE'])}] has {column} [{shorten(row[column])}]")
    return row


def _fixing(row: dict[str, str], seen: set[tuple[Pair, date]]) -> Fixing:
    pair = Pair(_reader.code(row["BASE_CURRENCY"]), "ILS")
    day = _reader.day(row["TIME_PERIOD"], since=_FIRST_DAY)
    nominal = _NOMINALS.get(row["UNIT_MULT"])
    if pair.base == "ILS" or nominal is None:
        raise _reader.broken(f"{pair} on {day} has the power [{shorten(row['UNIT_MULT'])}]")
    _reader.unique(seen, (pair, day))
    return Fixing("boi", pair, day, _reader.number(row["OBS_VALUE"], f"{pair} on {day}"), nominal)


adapter: FixingAdapter = BoiAdapter()
