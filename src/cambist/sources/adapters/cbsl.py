"""Central Bank of Sri Lanka: indicative rates of the rupee, and gold, since 2011.

Address: `www.cbsl.gov.lk`, a page with a table for each currency, by POST of a form for a span of days.
Direction: rupees per unit of foreign currency, the second column; the third is its inverse and not read. Gold is per
troy ounce.
Published: at about 9:30 Colombo time, from the dollar's spot rate and the world's rates.
Oddities: the head of a table names its currency. A currency without rates has a table without lines. The page must be
complete.
Known from: recorded answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from selectolax.lexbor import LexborNode

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PAGE = "https://www.cbsl.gov.lk/cbsl_custom/exrates/exrates_results.php"
_FIRST_DAY = date(2011, 1, 3)
_SPAN = timedelta(days=180)
_HEAD = re.compile(r"1\s+([A-Z]{3})\s+->\s+LKR")
_CELLS = 3
_CHOSEN = (
    *("AUD~Australian Dollar", "BHD~Bahrain Dinar", "BDT~Bangladesh Taka", "BRL~Brazil Real", "BND~Brunei Dollar"),
    *("CAD~Canadian Dollar", "CNH~Chinese Yuan (Offshore)", "CNY~Chinese Yuan (Renminbi)", "DKK~Danish Kroner"),
    *("CZK~Czechoslovak Koruna", "EGP~Egypt Pound", "EUR~Euro", "GHS~Ghana Cedi", "XAU~Gold (per Troy oz.)"),
    *("HKD~Hong Kong Dollar", "HUF~Hungary Forint", "INR~Indian Rupee", "JPY~Japanese Yen", "JOD~Jordan Dinar"),
    *("KES~Kenya Shillings", "KRW~Korean Won", "KWD~Kuwait Dinar", "MOP~Macau Pataca", "MYR~Malaysia  Ringgit"),
    *("MVR~Maldivian Rufiya", "MUR~Mauritius Rupee", "MMK~Myanmar  Kyat", "NPR~Nepal Rupee", "NOK~Norwegian Kroner"),
    *("RON~New Romania Leu", "NZD~New Zealand Dollar", "NGN~Nigeria Naira", "OMR~Oman Rial", "PKR~Pakistan Rupee"),
    *("PGK~Papua New Guinea Kina", "PHP~Philippines Peso", "PLN~Poland Zloty", "QAR~Qatar Riyal", "RUB~Russia Rouble"),
    *("SAR~Saudi Arabian Riyal", "SCR~Seychelles Rupee", "SGD~Singapore Dollar", "SBD~Solomon Island Dollar"),
    *("ZAR~South African Rand", "GBP~Sterling Pound", "SEK~Swedish Kroner", "CHF~Swiss Franc", "TWD~Taiwan Dollar"),
    *("THB~Thailand Baht", "AED~UAE  Dirham", "USD~US Dollar"),
)
"""The form's own names, without four whose rates of four digits are too coarse, or were of an old currency."""

_reader = PayloadReader("CBSL")


class CbslAdapter(FixingAdapter):
    """Parses the page of all currencies."""

    source = Source(
        key="cbsl",
        name="Central Bank of Sri Lanka",
        home="https://www.cbsl.gov.lk/en/rates-and-indicators/exchange-rates/daily-indicative-exchange-rates",
        terms="https://www.cbsl.gov.lk/en/disclaimer",
        licence="the Bank's disclaimer does not say clearly whether its rates may be passed on",
        redistribution=Redistribution.UNCLEAR,
        disabled_reason="It is not clear that the terms of the Central Bank of Sri Lanka let its rates be passed on.",
        pace=Pace.DAILY,
        covers="50 currencies and gold in rupees",
        anchor="LKR",
        fixed_at=time(9, 30),
        zone=ZoneInfo("Asia/Colombo"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(9, 45), end=time(15), every=timedelta(minutes=30), holidays="LK"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request all currencies, in spans of half a year."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + _SPAN)
            fields = [("lookupPage", "lookup_daily_exchange_rates.php"), ("rangeType", "dates")]
            fields += [("txtStart", f"{start}"), ("txtEnd", f"{end}"), *(("chk_cur[]", name) for name in _CHOSEN)]
            yield SourceRequest(
                url=_PAGE,
                first=start,
                last=end,
                headers=(("Content-Type", "application/x-www-form-urlencoded"),),
                body=urlencode([*fields, ("submit_button", "Submit")]).encode(),
                content_types=("text/html",),
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a page, table by table in its order."""
        _ = subject
        text = _reader.text(content)
        if not text.rstrip().endswith("</html>") or text.lower().count("</html") != 1:
            raise _reader.broken(f"the page is cut off, or not one: it ends [{shorten(text[-60:])}]")
        tables = _reader.html(text).css("table.series")
        if not tables:
            raise _reader.broken("the page has no table of rates")
        seen: set[tuple[Pair, date]] = set()
        for table in tables:
            pair = _pair(table)
            for row in table.css("tbody tr"):
                cells = [cell.text().strip() for cell in row.css("td")]
                if len(cells) != _CELLS:
                    raise _reader.broken(f"a line of {pair} has {len(cells)} cells: [{shorten(' '.join(cells))}]")
                day = _reader.day(cells[0], since=_FIRST_DAY)
                _reader.unique(seen, (pair, day))
                with _reader.cell:
                    yield Fixing("cbsl", pair, day, _reader.number(cells[1], f"{pair} on {day}"))
        if not seen:
            raise NothingPublished("CBSL: nothing was published for the days asked")


def _pair(table: LexborNode) -> Pair:
    """Return the pair that the head of a table names. Errors: SourceBroken."""
    heads = [cell.text().strip() for cell in table.css("thead th")]
    found = _HEAD.fullmatch(heads[1]) if len(heads) == _CELLS and heads[0] == "Date" else None
    if not found or found[1] == "LKR":
        raise _reader.broken(f"a table has the head [{shorten(' | '.join(heads))}]")
    return Pair(found[1], "LKR")


adapter: FixingAdapter = CbslAdapter()
