"""Banco Central del Paraguay: reference rates of the guaraní, since 2001.

One page for each currency and year has a table with the days as lines and the months as columns. Guaraníes per unit of
foreign currency; ND means no rate. The title names the year and the currency: a page for another one is refused. The
Bank lists gold and the SDR, too; of gold no page is known, and the SDR has no rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.declaration.html_rows import HtmlOpener
from cambist.sources.declaration.layouts import HtmlLayout
from cambist.sources.parsing import PayloadReader

_URL = "https://www.bcp.gov.py/webapps/web/cotizacion/monedas-historica"
_NAMES: Mapping[str, str] = {
    "USD": "DOLAR AMERICANO",
    "EUR": "EURO",
    "GBP": "LIBRA ESTERLINA",
    "JPY": "YEN JAPONES",
    "CHF": "FRANCO SUIZO",
    "CAD": "DOLAR CANADIENSE",
    "AUD": "DOLAR AUSTRALIANO",
    "CNY": "YUAN CHINO",
    "BRL": "REAL BRASILERO",
    "ARS": "PESO ARGENTINO",
    "CLP": "PESO CHILENO",
    "MXN": "PESO MEXICANO",
    "UYU": "PESO URUGUAYO",
    "COP": "PESO COLOMBIANO",
    "BOB": "BOLIVIAN BOLIVIANO",
    "NZD": "DOLAR NEOZELANDES",
    "ZAR": "RAND SUDAFRICANO",
    "SEK": "CORONA SUECA",
    "DKK": "CORONA DANESA",
    "NOK": "CORONA NORUEGA",
    "AED": "UAE DIRHAM",
    "PEN": "PERUVIAN NUEVO SOL",
    "SGD": "SINGAPORE DOLLAR",
    "TWD": "NEW TAIWAN DOLLAR",
}
"""The names of the currencies in the titles of their pages."""

_TABLE = "table#cotizacion-interbancaria"
"""The table with the title; that with the rates is next to it and has the same id."""

_TITLE = re.compile(r"PLANILLA DE COTIZACIONES DEL AÑO ([0-9]{4}) DE MONEDA (.+)")
_HEADER = ["#", "ENE", "FEB", "MAR", "ABR", "MAY", "JUN", "JUL", "AGO", "SEP", "OCT", "NOV", "DIC"]
_DAYS = [str(day) for day in range(1, 32)]
_MISSING = "ND"
_DECEMBER = 12


class BcpAdapter(FixingAdapter):
    """Parses the page of a currency and a year; the subject is the currency."""

    source = Source(
        key="bcp",
        name="Banco Central del Paraguay",
        home=_URL,
        terms="https://www.bcp.gov.py/",
        licence="official rates, published without terms of their own",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="24 currencies in guaraníes",
        zone=ZoneInfo("America/Asuncion"),
        first_day=date(2001, 1, 1),
        anchor="PYG",
        fixed_at=time(13),
        schedule=Schedule(start=time(12), end=time(20), every=timedelta(hours=2), holidays="PY"),
    )
    _reader = PayloadReader("Banco Central del Paraguay")
    _open_page = HtmlOpener(HtmlLayout(table=f"{_TABLE} + table", layout="wide"), f'{_TABLE} th[colspan="5"]', _reader)

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each currency for each year."""
        first = max(first, self.source.first_day)
        for year in range(first.year, last.year + 1):
            for code in _NAMES:
                yield SourceRequest(
                    url=f"{_URL}?anho={year}&moneda={code}",
                    first=max(first, date(year, 1, 1)),
                    last=min(last, date(year, _DECEMBER, 31)),
                    subject=code,
                    content_types=("text/html",),
                )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the page of one currency and year. Errors: as FixingAdapter.parse."""
        page = self._open_page(content)
        year, header, *lines = self._year(" ".join(page.around), subject), *page.lines
        if header != _HEADER or [cells[0] for cells in lines if cells] != _DAYS:
            raise self._reader.broken("the table does not have the months as columns and 31 days as lines")
        is_empty = True
        for cells in lines:
            if len(cells) != len(_HEADER):
                raise self._reader.broken(f"the line [{shorten(' '.join(cells))}] does not have twelve months")
            for month, text in enumerate(cells[1:], start=1):
                if text != _MISSING:
                    is_empty = False
                    yield from self._fixing(text, subject, f"{year}-{month:02}-{int(cells[0]):02}")
        if is_empty:
            raise NothingPublished(f"{self._reader.name}: nothing was published in {year}")

    def _fixing(self, text: str, code: str, written_day: str) -> Iterator[Fixing]:
        pair, day = Pair(code, self.source.anchor), self._reader.day(written_day, since=self.source.first_day)
        with self._reader.cell:
            value = self._reader.number(text, f"{pair} on {day}", comma=",", thousands=".")
            yield Fixing(self.source.key, pair, day, value)

    def _year(self, title: str, code: str) -> str:
        """Return the year in the title. Errors: SourceBroken if it is not that of the currency's page."""
        found = _TITLE.fullmatch(title)
        if not found or found[2] != _NAMES.get(code):
            raise self._reader.broken(f"the page for [{shorten(code)}] has the title [{shorten(title)}]")
        return found[1]


adapter: FixingAdapter = BcpAdapter()
