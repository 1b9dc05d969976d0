"""European Commission: InforEuro, the monthly accounting rates of the euro, since 1999.

Address: `ec.europa.eu/budg/inforeuro`, a JSON array of countries with currency code and value. 404 is a month without
rates yet.
Direction: units of foreign currency per euro, valid from the first day of the month.
Published: at the end of the month before, from the market's rates on its last day but one.
Oddities: `null` is a missing rate. Only the address says which month it is. Values before 1999 are in ECU without a
label, and are not requested.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_RATES = "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates"
_FIRST_DAY = date(1999, 1, 1)
_MONTH = "%Y-%m"

_CODES = {"FRC": "CDF", "ZIG": "ZWG"}
"""Codes of InforEuro's own: the Congolese franc until 1999, and the Zimbabwe gold."""

_NEW_KWANZA = (date(2000, 1, 1), date(2000, 2, 1))
"""The months in which AOK, the code of the kwanza before 1990, stood for the new kwanza."""

_reader = PayloadReader("InforEuro")


class _Row(Struct):
    """One country. There are no defaults, so that a row without one of the fields is an error."""

    isoA3Code: str  # noqa: N815  the source's own name
    value: Raw


class InforEuroAdapter(FixingAdapter):
    """Parses the JSON of one month; `subject` is the month."""

    source = Source(
        key="inforeuro",
        name="European Commission, InforEuro",
        home="https://commission.europa.eu/funding-tenders/procedures-guidelines-tenders/information-contractors-and-beneficiaries/exchange-rate-inforeuro_en",
        terms="https://commission.europa.eu/legal-notice_en",
        licence="free reuse with attribution",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.MONTHLY,
        covers="some 150 currencies against the euro, month by month",
        anchor="EUR",
        zone=ZoneInfo("Europe/Brussels"),
        first_day=_FIRST_DAY,
        compiled=True,
        schedule=Schedule(start=time(8), end=time(20), every=timedelta(hours=6), reread_days=62),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each month of the range; the rates of a month are of its first day."""
        month = max(first, _FIRST_DAY).replace(day=1)
        while month <= last:
            yield SourceRequest(
                url=f"{_RATES}?year={month.year}&month={month.month}&lang=en",
                first=month,
                last=month,
                subject=month.strftime(_MONTH),
                content_types=("application/json",),
                no_data_statuses=frozenset({404}),
            )
            month = (month + timedelta(days=32)).replace(day=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one month, in the order of the countries."""
        day = _reader.day(subject, _MONTH, since=_FIRST_DAY)
        seen: set[str] = set()
        for row in _reader.json(content, list[_Row]):
            code = _code(_reader.code(row.isoA3Code), day)
            if bytes(row.value) == b"null":
                continue
            pair = Pair("EUR", code)
            if code != "EUR":
                _reader.unique(seen, code)
                with _reader.cell:
                    yield Fixing("inforeuro", pair, day, _reader.json_number(row.value, f"{pair} of {subject}"))
            elif _reader.json_number(row.value, f"{pair} of {subject}") != 1:
                raise _reader.broken(f"a euro is worth [{shorten(bytes(row.value).decode())}] of itself")
        if not seen:
            raise _reader.broken(f"the answer holds no rate of {subject}")


def _code(label: str, day: date) -> str:
    if label == "AOK" and day in _NEW_KWANZA:
        return "AOA"
    return _CODES.get(label, label)


adapter: FixingAdapter = InforEuroAdapter()
