"""Central Bank of West African States: reference rates of the CFA franc (XOF), since 2014.

Address: `www.bceao.int`, a piece of a page with one table, for one day.
Direction: CFA francs per unit of foreign currency. The euro has its legal rate, which is checked and left out.
Published: on working days, Dakar time; the heading names the day in French.
Oddities: currencies are named in French, decimals have a comma and thousands a point. The page has no end of its own:
the table must be closed.
Known from: recorded answers.
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
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PAGE = "https://www.bceao.int/fr/cours/get_all_reference_by_date?dateJour="
_FIRST_DAY = date(2014, 1, 2)
_LEGAL = Decimal("655.957")
_WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
_MONTHS = (
    *("janvier", "février", "mars", "avril", "mai", "juin"),
    *("juillet", "août", "septembre", "octobre", "novembre", "décembre"),
)
_HEADING = re.compile(r"Cours des devises du (?P<weekday>\w+) (?P<d>[0-9]{1,2}) (?P<m>\w+) (?P<y>[0-9]{4})")
_CODES = {
    "Dollar us": "USD",
    "Yen japonais": "JPY",
    "Couronne danoise": "DKK",
    "Couronne suédoise": "SEK",
    "Livre sterling": "GBP",
    "Couronne norvégienne": "NOK",
    "Couronne thèque": "CZK",
    "Couronne tchèque": "CZK",
    "Forint hongrois": "HUF",
    "Zloty polonais": "PLN",
    "Franc suisse": "CHF",
    "Dollar canadien": "CAD",
    "Dollar australien": "AUD",
    "Dollar néo-zélandais": "NZD",
    "Rand sud-africain": "ZAR",
    "Yuan chinois": "CNY",
    "Roupie Indienne": "INR",
    "Baht thailandais": "THB",
    "Real brésilien": "BRL",
    "Dollar singapourien": "SGD",
    "Nouvelle livre turque": "TRY",
    "Dirham Emirats Arabes Unis": "AED",
    "Nouveau Shekel": "ILS",
    "Won Coréen": "KRW",
    "Dollar Hong Kong": "HKD",
    "Ryal Saudien": "SAR",
    "Dinar Koweitien": "KWD",
}

_reader = PayloadReader("BCEAO")


class BceaoAdapter(FixingAdapter):
    """Parses the table of a day."""

    source = Source(
        key="bceao",
        name="Central Bank of West African States",
        home="https://www.bceao.int/fr/cours/cours-de-reference-des-principales-devises-contre-Franc-CFA",
        terms="https://www.bceao.int/fr/content/mentions-legales",
        licence="the Bank's legal notice does not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the legal notice of the Bank lets its rates be passed on.",
        pace=Pace.DAILY,
        covers="26 currencies in CFA francs",
        anchor="XOF",
        fixed_at=time(12),
        zone=ZoneInfo("Africa/Dakar"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(12), end=time(20), every=timedelta(hours=1), holidays="SN"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each weekday."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            if day.weekday() < _WEEKDAYS.index("samedi"):
                yield SourceRequest(url=f"{_PAGE}{day}", first=day, last=day, content_types=("text/html",))
            day += timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, in its order."""
        _ = subject
        text = _reader.text(content).strip()
        if not text.endswith("</table>") or text.count("</table") != 1:
            raise _reader.broken(f"the table is cut off, or not one: it ends [{shorten(text[-60:])}]")
        page = _reader.html(text)
        day = _day(" ".join(heading.text() for heading in page.css("h2")))
        rows = [[cell.text().strip() for cell in row.css("th, td")] for row in page.css("tr")]
        if rows[:1] != [["Devise", "CFA"]] or any(len(cells) != 2 for cells in rows):
            raise _reader.broken(f"the table has other columns: [{shorten(str(rows[:1]))}]")
        seen: set[Pair] = set()
        for name, rate in rows[1:]:
            if name == "Euro":
                _check_euro(rate, day)
                continue
            code = _CODES.get(name)
            if code is None:
                raise _reader.broken(f"[{shorten(name)}] is no currency that it is known to publish")
            pair = _reader.unique(seen, Pair(code, "XOF"))
            with _reader.cell:
                yield Fixing("bceao", pair, day, _number(rate, f"{pair} on {day}"))
        if not seen:
            raise _reader.broken(f"the table of {day} holds no rate")


def _day(heading: str) -> date:
    """Return the day of a heading. Errors: SourceBroken if it is none, or of another weekday."""
    found = _HEADING.fullmatch(" ".join(heading.split()))
    if found and found["m"] in _MONTHS and found["weekday"] in _WEEKDAYS:
        day = _reader.day(f"{found['y']}-{_MONTHS.index(found['m']) + 1:02}-{int(found['d']):02}", since=_FIRST_DAY)
        if _WEEKDAYS[day.weekday()] == found["weekday"]:
            return day
    raise _reader.broken(f"[{shorten(heading)}] does not name a day")


def _number(text: str, what: str) -> Decimal:
    return _reader.number(text, what, comma=",", thousands=".")


def _check_euro(text: str, day: date) -> None:
    if _number(text, f"EUR/XOF on {day}") != _LEGAL:
        raise _reader.broken(f"the euro costs [{shorten(text)}] CFA francs and not its legal rate")


adapter: FixingAdapter = BceaoAdapter()
