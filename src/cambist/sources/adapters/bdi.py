"""Banca d'Italia: daily rates of all currencies against the euro, since 1999.

Address: the bank's REST service, one CSV per day, with a disclaimer in lines of `#` at the end.
Direction: units of foreign currency per euro.
Published: in the evening of each Italian working day. The major currencies are from the central banks' concertation,
the others are compiled from other publications, and some of them are stale.
Oddities: there is one line per country, so a currency has as many lines as countries use it. `N.A.` means no rate. A
day without fixings has no lines between header and disclaimer. Some series continued under an old code, or had a new
one too early: see the tables below.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import WEEKDAYS, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_RATES = "https://tassidicambio.bancaditalia.it/terzevalute-wf-web/rest/v1.0/dailyRates"
_FIRST_DAY = date(1999, 1, 4)
_HEADER = "Country,Currency,ISO Code,UIC Code,Rate,Rate convention,Reference date (CET)"
_PER_EURO = "Foreign currency amount for 1 Euro"
_MISSING = "N.A."

_ONE_DAY = timedelta(days=1)
_CODES_OF_THEIR_DAY = {
    # Until 2004-03-31 AFN is the frozen official rate of the old afghani.
    "AFN": (("AFA", date(2004, 3, 31)),),
    # One label for four dollars: the first was redenominated in 2006, the series jumped on 2008-08-01 and 2009-02-03.
    "ZWD": (
        ("ZWD", CURRENCIES["ZWN"].first_day - _ONE_DAY),
        ("ZWN", CURRENCIES["ZWR"].first_day - _ONE_DAY),
        ("ZWR", date(2009, 2, 2)),
        ("ZWL", date.max),
    ),
}
"""By label: the codes that it stood for, each with its last day."""

_reader = PayloadReader("Banca d'Italia")


class BdiAdapter(FixingAdapter):
    """Parses the CSV of one day."""

    source = Source(
        key="bdi",
        name="Banca d'Italia",
        home="https://tassidicambio.bancaditalia.it/terzevalute-wf-ui-web/",
        terms="https://www.bancaditalia.it/compiti/operazioni-cambi/cambi/index.html?com.dotmarketing.htmlpage.language=1",
        licence="free reuse with attribution; indicative, no benchmark",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="some 150 currencies against the euro",
        anchor="EUR",
        fixed_at=time(14, 15),
        zone=ZoneInfo("Europe/Rome"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(16, 30), end=time(21), every=timedelta(minutes=30), holidays="XECB"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each weekday; there are no fixings at weekends."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            if day.weekday() in WEEKDAYS:
                url = f"{_RATES}?referenceDate={day}&currencyIsoCode=EUR&lang=en"
                # Without this header the service chooses between CSV, JSON, PDF and Excel.
                yield SourceRequest(
                    url=url, first=day, last=day, headers=(("Accept", "text/csv"),), content_types=("text/csv",)
                )
            day += timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one day, each currency once, in the order of its first country."""
        _ = subject
        found: dict[str, Decimal | None] = {}
        days: set[date] = set()
        for code, text, day in map(_row, _reader.csv_rows(_body(_reader.text(content)))):
            days.add(day)
            rate = None
            with _reader.cell:
                rate = None if text == _MISSING else _reader.number(text, f"EUR/{code} on {day}")
            if found.setdefault(code, rate) != rate:
                raise _reader.broken(f"{code} has two rates on {day}: [{found[code]}] and [{rate}]")
        if len(days) > 1:
            raise _reader.broken(f"rates of {len(days)} days stand in a file of one")
        _check_whole(found)
        yield from (Fixing("bdi", Pair("EUR", code), min(days), rate) for code, rate in found.items() if rate)


def _body(text: str) -> str:
    """Return the lines between header and disclaimer. A file without its disclaimer was cut off."""
    head, _, footer = text.replace("\r\n", "\n").partition("\n#")
    header, _, body = head.partition("\n")
    if header != _HEADER:
        raise _reader.broken(f"the file does not begin with its header: [{shorten(header)}]")
    _, *others = footer.split("\n")
    if not others or others[-1] or any(line and line[0] != "#" for line in others):
        raise _reader.broken("the file does not end with its disclaimer")
    return body.rstrip("\n")


def _row(cells: list[str]) -> tuple[str, str, date]:
    if len(cells) != 7:
        raise _reader.broken(f"a line has {len(cells)} cells instead of 7: [{shorten(','.join(cells))}]")
    _, _, label, _, text, convention, of = cells
    day = _reader.day(of, since=_FIRST_DAY)
    code = _code(_reader.code(label), day)
    # The documentation shows it with and without a full stop or a blank. Rates in the other direction exist only
    # against the dollar and the lira.
    if convention.rstrip(" .") != _PER_EURO or code == "EUR":
        raise _reader.broken(f"{code} on {day} is quoted otherwise than per euro: [{shorten(convention)}]")
    return code, text, day


def _code(label: str, day: date) -> str:
    """Return the code of the currency that the label stood for on the day."""
    return next((code for code, last in _CODES_OF_THEIR_DAY.get(label, ()) if day <= last), label)


def _check_whole(found: dict[str, Decimal | None]) -> None:
    """A day without its dollar would leave every other currency without a worth."""
    if not found:
        raise NothingPublished("Banca d'Italia: there are no rates of that day")
    if not found.get("USD"):
        raise _reader.broken("the file has no rate of the dollar")


adapter: FixingAdapter = BdiAdapter()
