"""Bank for International Settlements: daily dollar exchange rates (WS_XRU), compiled from central banks and others.

Address: the BIS data API, SDMX-CSV, one request per currency. 404 means that it has nothing for the key.
Direction: local units per dollar, times ten to the power of UNIT_MULT. Very small numbers are written as `3E-06`.
Published: new weeks in the middle of the week; values of the past year are revised.
Oddities: `NaN` is a day without a rate; an answer may consist of the header or of `NaN` alone. A currency is listed
under each area that uses it, with different histories: see the table. XM is the euro, and before it the ECU. Days
before a redenomination are restated in new units, so they are not requested. Currencies whose unit cannot be told
from the day are left out: SLL (restated under the old code), VEF and VES (units changed in 2019-06 and 2021-10
without a new code), MRO and STD (old units after their end), SYP (100 for 1 in 2026), and the former currencies of
euro members (calculated from the euro).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_FLOW = "https://stats.bis.org/api/v2/data/dataflow/BIS/WS_XRU/1.0"
_CSV = "application/vnd.sdmx.data+csv"
_FIRST_DAY = date(1970, 1, 1)
_MISSING = "NaN"
_HEADER = (
    "DATAFLOW,FREQ,REF_AREA,CURRENCY,COLLECTION,TIME_PERIOD,OBS_VALUE,UNIT_MULT,DECIMALS,AVAILABILITY,TITLE,"
    "OBS_STATUS,OBS_PRE_BREAK,OBS_CONF"
)
_FLOW_OF_LINES = "BIS:WS_XRU(1.0)"
_SMALL = re.compile(r"([1-9](?:\.[0-9]{1,15})?)E-([0-9]{2})", re.ASCII)
_POWER = re.compile(r"-?[0-9]", re.ASCII)

_AREAS = {
    # Currencies of several areas: one area's series is read.
    "AUD": "AU", "EUR": "XM", "XAF": "CM", "XCD": "AG", "XOF": "WA",
    "AED": "AE", "ARS": "AR", "BAM": "BA", "BHD": "BH", "BOB": "BO", "BRL": "BR", "CAD": "CA", "CHF": "CH", "CLP": "CL",
    "CNY": "CN", "COP": "CO", "CRC": "CR", "CZK": "CZ", "DKK": "DK", "DZD": "DZ", "EGP": "EG", "GBP": "GB", "GHS": "GH",
    "HKD": "HK", "HUF": "HU", "IDR": "ID", "ILS": "IL", "INR": "IN", "ISK": "IS", "JOD": "JO", "JPY": "JP", "KES": "KE",
    "KRW": "KR", "KWD": "KW", "KZT": "KZ", "LKR": "LK", "MAD": "MA", "MKD": "MK", "MUR": "MU", "MXN": "MX", "MYR": "MY",
    "NGN": "NG", "NOK": "NO", "NZD": "NZ", "OMR": "OM", "PEN": "PE", "PHP": "PH", "PKR": "PK", "PLN": "PL", "QAR": "QA",
    "RON": "RO", "RSD": "RS", "RUB": "RU", "SAR": "SA", "SEK": "SE", "SGD": "SG", "THB": "TH", "TND": "TN", "TRY": "TR",
    "TTD": "TT", "TWD": "TW", "UAH": "UA", "UYU": "UY", "VND": "VN", "ZAR": "ZA",
}  # fmt: skip
_GOES_BEFORE = {"CZK": "CSK", "EUR": "XEU"}
"""The unit that a currency replaced at par; its series begins with that unit's values."""

_reader = PayloadReader("BIS")


class BisAdapter(FixingAdapter):
    """Parses one currency's CSV; `subject` is its code."""

    source = Source(
        key="bis",
        name="Bank for International Settlements",
        home="https://data.bis.org/topics/XRU",
        terms="https://www.bis.org/terms_statistics.htm",
        licence="free reuse if the BIS is cited; no surcharge for it, no endorsement implied",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 60 currencies against the dollar, many since the 1970s, and the ECU",
        fixed_at=time(14, 15),
        zone=ZoneInfo("Europe/Zurich"),
        first_day=_FIRST_DAY,
        compiled=True,
        schedule=Schedule(
            start=time(12),
            end=time(22),
            every=timedelta(hours=8),
            days=frozenset({2, 3, 4}),
            reread_days=365,
            pause=timedelta(seconds=2),
        ),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request one currency after the other, from its unit's first day."""
        starts = sorted((max(first, _first_day_of(code)), code) for code in _AREAS)
        for start, code in starts:
            if start <= last:
                days = f"c%5BTIME_PERIOD%5D=ge:{start}%2Ble:{last}"
                yield SourceRequest(
                    url=f"{_FLOW}/D.{_AREAS[code]}.{code}.A?{days}",
                    first=start,
                    last=last,
                    subject=code,
                    headers=(("Accept", f"{_CSV};version=1.0.0"),),
                    content_types=(_CSV,),
                    no_data_statuses=frozenset({404}),
                )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one currency's days. Errors: NothingPublished if none of them has a rate."""
        since = _first_day_of(subject)
        seen: set[date] = set()
        fixed = 0
        for text, value, power in _lines(_reader.text(content), subject):
            day = _reader.unique(seen, _reader.day(text, since=since))
            if value != _MISSING:
                fixed += 1
                pair = Pair("USD", _code_on(subject, day))
                with _reader.cell:
                    yield Fixing("bis", pair, day, _scale(value, power, f"{pair} on {day}"))
        if not fixed:
            raise NothingPublished(f"BIS: has no rate of {subject} for the days asked for")


def _first_day_of(code: str) -> date:
    """Return the first day of a unit, or of the unit that it replaced at par."""
    return max(CURRENCIES[_GOES_BEFORE.get(code, code)].first_day, _FIRST_DAY)


def _code_on(code: str, day: date) -> str:
    return code if day >= CURRENCIES[code].first_day else _GOES_BEFORE.get(code, code)


def _lines(text: str, code: str) -> Iterator[tuple[str, str, str]]:
    """Yield day, value and power of ten of each line. Errors: SourceBroken if a line is of another series."""
    if not text.endswith("\n"):
        raise _reader.broken("the file was cut off")
    columns = _HEADER.split(",")
    asked = [_FLOW_OF_LINES, "D", _AREAS.get(code, ""), code, "A"]
    table = _reader.csv_rows(text)
    if next(table, []) != columns:
        raise _reader.broken(f"the file does not begin with its header: [{shorten(text)}]")
    for cells in table:
        if len(cells) != len(columns) or cells[: len(asked)] != asked:
            raise _reader.broken(f"a line is none of the daily series of {code}: [{shorten(','.join(cells))}]")
        yield cells[5], cells[6], cells[7]


def _scale(text: str, power: str, what: str) -> Decimal:
    """Return the value times a power of ten, exactly."""
    small = _SMALL.fullmatch(text)
    plain = f"{Decimal(text):f}" if small else text
    if _POWER.fullmatch(power) is None:
        raise _reader.broken(f"{what} is in units of ten to the power of [{shorten(power)}]")
    scaled = Decimal(f"{_reader.number(plain, what)}E{power}")
    return _reader.json_number(Decimal(f"{scaled:f}"), what)


adapter: FixingAdapter = BisAdapter()
