"""International Monetary Fund: representative exchange rates, as reported by central banks, since 2003-04-01.

Address: `www.imf.org`, tab-separated text by month, with one or two tables of days by currency. Prose follows after
`Notes:`; its last line shows that the text is complete.
Direction: units per dollar (report REP), but dollars per unit if the name ends in `(1)`. From the second report, SDRs
per unit (SDRCV), only the dollar's line is read: it is the SDR of the day.
Published: on US working days.
Oddities: thousands have commas; `NA` or an empty cell is no rate. Currencies have names, not codes; an unknown name
is reported and skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_REPORTS = "https://www.imf.org/external/np/fin/data/rms_mth.aspx?SelectDate={day}&reportType={report}&tsvflag=Y"
_FIRST_DAY = date(2003, 4, 1)
_MISSING = ("NA", "")
_DOLLAR = "u.s. dollar"
_PER_UNIT = "(1)"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = rf"(?P<m>{_MONTHS}) (?P<d>[0-9]{{2}}), (?P<y>[0-9]{{4}})"
_TITLES = {
    "REP": rf"Representative Exchange Rates for Selected Currencies for (?:{_MONTHS}) [0-9]{{4}}",
    "SDRCV": rf"SDRs per Currency unit for (?:{_MONTHS}) [0-9]{{4}}",
}
_LAST_WORDS = {
    "REP": "(1) which are in terms of U.S. dollars per currency unit, and those indicated by",
    "SDRCV": "to facilitate unscheduled IMF operations.",
}
"""The last line of the prose. A text with another end was cut off."""

_CODES = {
    "algerian dinar": "DZD",
    "australian dollar": "AUD",
    "bahrain dinar": "BHD",
    "bangladeshi taka": "BDT",
    "botswana pula": "BWP",
    "brazilian real": "BRL",
    "brunei dollar": "BND",
    "canadian dollar": "CAD",
    "chilean peso": "CLP",
    "chinese yuan": "CNY",
    "colombian peso": "COP",
    "cyprus pound": "CYP",
    "czech koruna": "CZK",
    "danish krone": "DKK",
    "estonian kroon": "EEK",
    "euro": "EUR",
    "hungarian forint": "HUF",
    "icelandic krona": "ISK",
    "indian rupee": "INR",
    "indonesian rupiah": "IDR",
    "iranian rial": "IRR",
    "israeli new shekel": "ILS",
    "israeli new sheqel": "ILS",
    "japanese yen": "JPY",
    "kazakhstani tenge": "KZT",
    "korean won": "KRW",
    "kuwaiti dinar": "KWD",
    "libyan dinar": "LYD",
    "malaysian ringgit": "MYR",
    "maltese lira": "MTL",
    "mauritian rupee": "MUR",
    "mexican peso": "MXN",
    "nepalese rupee": "NPR",
    "new zealand dollar": "NZD",
    "norwegian krone": "NOK",
    "nuevo sol": "PEN",
    "omani rial": "OMR",
    "pakistani rupee": "PKR",
    "peruvian sol": "PEN",
    "peso uruguayo": "UYU",
    "philippine peso": "PHP",
    "polish zloty": "PLN",
    "qatar riyal": "QAR",
    "qatari riyal": "QAR",
    "rial omani": "OMR",
    "russian ruble": "RUB",
    "saudi arabian riyal": "SAR",
    "singapore dollar": "SGD",
    "slovak koruna": "SKK",
    "slovenian tolar": "SIT",
    "south african rand": "ZAR",
    "sri lanka rupee": "LKR",
    "sri lankan rupee": "LKR",
    "swedish krona": "SEK",
    "swiss franc": "CHF",
    "thai baht": "THB",
    "trinidad and tobago dollar": "TTD",
    "trinidadian dollar": "TTD",
    "tunisian dinar": "TND",
    "u.a.e. dirham": "AED",
    "u.k. pound": "GBP",
    "u.k. pound sterling": "GBP",
    "uruguayan peso": "UYU",
}
_SUCCESSIVE = ("VEB", "VEF", "VES")
_BOLIVARES = frozenset({"bolivar fuerte", "venezuelan bolivar"})
"""One name for three successive currencies."""

_reader = PayloadReader("IMF")


class ImfAdapter(FixingAdapter):
    """Parses a month's report of representative rates, and the dollar's line of the report of SDRs."""

    source = Source(
        key="imf",
        name="International Monetary Fund",
        home="https://www.imf.org/external/np/fin/data/param_rms_mth.aspx",
        terms="https://www.imf.org/en/about/copyright-and-terms",
        licence="attribution; automated downloads in bulk and commercial use by permission of the Fund",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.DAILY,
        covers="some 50 currencies that central banks report to the Fund, and the SDR, against the dollar",
        fixed_at=time(12),
        zone=ZoneInfo("America/New_York"),
        first_day=_FIRST_DAY,
        compiled=True,
        schedule=Schedule(
            start=time(9), end=time(19), every=timedelta(hours=2), holidays="US", pause=timedelta(seconds=3)
        ),
        disabled_reason="The Fund's terms ask for permission before its data is downloaded automatically and in bulk.",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request both reports, a month at a time."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            next_month = (start.replace(day=1) + timedelta(days=32)).replace(day=1)
            end_of_month = next_month - timedelta(days=1)
            for report in _TITLES:
                url = _REPORTS.format(day=end_of_month, report=report)
                yield SourceRequest(
                    url=url,
                    first=start,
                    last=min(last, end_of_month),
                    subject=report,
                    content_types=("application/vnd.ms-excel",),
                )
            start = next_month

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one month of the report `subject`, in its order."""
        cells = _cells(_tables(_reader.text(content), subject))
        fixing_of = _rate if subject == "REP" else _sdr
        seen: set[tuple[Pair, date]] = set()
        for cell in cells:
            with _reader.cell:
                fixing = fixing_of(cell)
                if fixing is not None:
                    _reader.unique(seen, (fixing.pair, fixing.day))
                    yield fixing
        if not seen:
            raise _reader.broken("the report holds no rate")


def _tables(text: str, report: str) -> Iterator[list[str]]:
    """Yield the cells of each line between title and notes; an empty list at the end of a table."""
    title, *lines = text.replace("\r\n", "\n").split("\n")
    if re.fullmatch(_TITLES.get(report, "(?!)"), title) is None:
        raise _reader.broken(f"the report does not begin with its title: [{shorten(title)}]")
    if lines.count("Notes:") != 1 or not text.endswith(_LAST_WORDS[report]):
        raise _reader.broken("the report does not end with its notes")
    for line in lines[: lines.index("Notes:")]:
        yield [] if line in ("", f"{title} Continued") else line.split("\t")


def _cells(lines: Iterator[list[str]]) -> Iterator[tuple[str, date, str]]:
    """Yield each cell with its currency's name in lower case and its day."""
    days: list[date] = []
    for cells in lines:
        if not cells:
            days = []
        elif not days:
            days = _header(cells)
        elif len(cells) != len(days) + 1:
            raise _reader.broken(f"the line of [{shorten(cells[0])}] has {len(cells)} cells instead of {len(days) + 1}")
        else:
            yield from ((cells[0].lower(), day, cell) for day, cell in zip(days, cells[1:], strict=True))


def _header(cells: list[str]) -> list[date]:
    days = [_reader.day_with_month_name(cell, _DAY, since=_FIRST_DAY) for cell in cells[1:]]
    one_month = {(day.year, day.month) for day in days}
    if cells[0] != "Currency" or len(one_month) != 1 or sorted(set(days)) != days:
        raise _reader.broken(f"a table does not begin with its header: [{shorten(' '.join(cells))}]")
    return days


def _rate(cell: tuple[str, date, str]) -> Fixing | None:
    name, day, text = cell
    if name == _DOLLAR:
        if text not in _MISSING and _reader.number(text, f"the dollar on {day}") != 1:
            raise _reader.broken(f"the dollar is worth [{shorten(text)}] of itself on {day}")
        return None
    code = _code(name.removesuffix(_PER_UNIT), day)
    pair = Pair(code, "USD") if name.endswith(_PER_UNIT) else Pair("USD", code)
    return None if text in _MISSING else _fixing(pair, day, text)


def _sdr(cell: tuple[str, date, str]) -> Fixing | None:
    name, day, text = cell
    return None if name != _DOLLAR or text in _MISSING else _fixing(Pair("USD", "XDR"), day, text)


def _fixing(pair: Pair, day: date, text: str) -> Fixing:
    value: Decimal = _reader.number(text, f"{pair} on {day}", thousands=",")
    return Fixing("imf", pair, day, value)


def _code(name: str, day: date) -> str:
    if name in _BOLIVARES:
        return next(code for code in _SUCCESSIVE if day <= (CURRENCIES[code].last_day or day))
    if name not in _CODES:
        raise _reader.cell_broken(f"[{shorten(name)}] is no currency that it is known to report")
    return _CODES[name]


adapter: FixingAdapter = ImfAdapter()
