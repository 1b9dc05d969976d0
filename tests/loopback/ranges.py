"""The official sources with requests for a range of days, with one recording each: address and format."""

from __future__ import annotations

from typing import Any

from recordings import Form

_DAY = r"\d{4}-\d\d-\d\d"
_JSON = "application/json"


def one(real: str, small: str) -> dict[str, tuple[tuple[str, str], ...]]:
    return {"": ((real, small),)}


def span(first: str, last: str, day: str = _DAY) -> str:
    """Return the pattern of a range of days, in either order."""
    return rf"(?=.*{first}(?P<first>{day}))(?=.*{last}(?P<last>{day}))"


RANGES: tuple[dict[str, Any], ...] = (
    {
        "key": "bbk",
        "at": r"^api\.statistiken\.bundesbank\.de/" + span("startPeriod=", "endPeriod="),
        "files": one("bbk/bbk_01.csv", "bbk/fixings.csv"),
        "media": "application/vnd.sdmx.data+csv;version=1.0.0;charset=UTF-8",
        "form": Form(
            record=r"^BBK:[^\n]*\n", day=rf";000;({_DAY});", rate=rf";USD;DEM;AA;AC;000;{_DAY};(?P<rate>[\d.]+);"
        ),
    },
    {
        "key": "boc",
        "at": r"^www\.bankofcanada\.ca/valet/.*FX_RATES_DAILY" + span("start_date=", "end_date="),
        "files": one("boc/boc_01.json", "boc/days.json"),
        "media": "application/json; charset=utf-8",
        "form": Form(
            record=r'\{\s*"d":.*?\}\s*\}',
            day=rf'"d": "({_DAY})"',
            rate=r'"FXUSDCAD":\s*\{\s*"v":\s*"(?P<rate>[\d.]+)"',
            between=",",
        ),
    },
    {
        "key": "boc_noon",
        "at": r"^www\.bankofcanada\.ca/valet/.*LEGACY_NOON_RATES" + span("start_date=", "end_date="),
        "files": one("", "boc_noon/days.json"),
        "media": "application/json; charset=utf-8",
        "form": Form(
            record=r'\{\s*"d":.*?\}\s*\}',
            day=rf'"d": "({_DAY})"',
            rate=r'"IEXE0101":\s*\{\s*"v":\s*"(?P<rate>[\d.]+)"',
            between=",",
        ),
    },
    {
        "key": "boe",
        "at": r"^www\.bankofengland\.co\.uk/" + span("Datefrom=", "Dateto=", r"\d\d/\w{3}/\d{4}"),
        "dates": "%d/%b/%Y",
        "files": one("boe/boe_01.csv", "boe/table.csv"),
        "media": "application/csv",
        "form": Form(
            record=r"^\d\d \w{3} \d{4},[^\n]*\n",
            day=r"^(\d\d \w{3} \d{4}),",
            written=("%d %b %Y",),
            rate=r"^[^,\n]*,(?P<rate>[\d.]+)",
        ),
    },
    {
        "key": "boi",
        "at": r"^edge\.boi\.gov\.il/" + span("startperiod=", "endperiod="),
        "files": one("boi/boi_01.csv", "boi/table.csv"),
        "media": "text/csv; charset=utf-8",
        "form": Form(
            record=r"^RER_[^\n]*\n",
            day=rf",({_DAY}),",
            rate=rf",USD,ILS,[^\n]*,{_DAY},(?P<rate>[\d.]+)",
        ),
    },
    {
        "key": "fbil",
        "at": r"^www\.fbil\.org\.in/" + span("fromDate=", "toDate="),
        "files": one("fbil/fbil_01.json", "fbil/list.json"),
        "media": _JSON,
        "form": Form(
            record=r'\{"processRunDate"[^{}]*\}',
            day=rf'"processRunDate":"({_DAY})',
            rate=r'INR / 1 USD"[^{}]*"rate":(?P<rate>[\d.]+)',
            between=",",
        ),
    },
    {
        "key": "norges",
        "at": r"^data\.norges-bank\.no/" + span("startPeriod=", "endPeriod="),
        "files": one("norges/nb_01.csv", "norges/days.csv"),
        "media": "text/csv;charset=UTF-8",
        "form": Form(
            record=r"^B,[^\n]*\n",
            day=rf",({_DAY}),",
            rate=rf"^B,USD,NOK,[^\n]*,{_DAY},(?P<rate>[\d.]+)",
        ),
    },
    {
        "key": "riksbank",
        "at": rf"^api\.riksbank\.se/.*/130/(?P<first>{_DAY})/(?P<last>{_DAY})",
        "files": one("riksbank/rb_01.json", "riksbank/days.json"),
        "media": "application/json; charset=utf-8",
        "nothing": 204,
        "form": Form(
            record=r'\{"seriesId"[^{}]*\}',
            day=rf'"date":"({_DAY})"',
            rate=r'SEKUSDPMI"[^{}]*"value":(?P<rate>[\d.]+)',
            between=",",
        ),
    },
    {
        "key": "mnb",
        "at": r"(?s)^www\.mnb\.hu/arfolyamok\.asmx.*" + span("<startDate>", "<endDate>"),
        "files": one("mnb/mnb_01.xml", "mnb/rates.xml"),
        "media": "text/xml; charset=utf-8",
        "form": Form(
            record=r"&lt;Day date=.*?&lt;/Day&gt;",
            day=rf'date="({_DAY})"',
            rate=r'curr="USD"&gt;(?P<rate>[\d,]+)',
        ),
    },
    {
        "key": "nbu",
        "at": r"^bank\.gov\.ua/NBU_Exchange/" + span("start=", "end=", r"\d{8}"),
        "dates": "%Y%m%d",
        "files": one("nbu/nbu_01.json", "nbu/exchange_site.json"),
        "media": "application/json; charset=utf-8",
        "form": Form(
            record=r'\{\s*"exchangedate"[^{}]*\}',
            day=r'"exchangedate":"(\d\d\.\d\d\.\d{4})"',
            written=("%d.%m.%Y",),
            rate=r'"cc":"USD"[^{}]*"rate":(?P<rate>[\d.]+)',
            between=",",
        ),
    },
)
