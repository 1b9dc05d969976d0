"""The parameters of the Bank of England's database, whose names it takes in any case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from cambist.api.faces.dialects.written_days import MONTHS
from cambist.errors import BadParameter, shorten
from cambist.reference.boe_series import BOE_SERIES
from cambist.suggestions import did_you_mean

_FORM = ("csv.x", "CSVF", "UsingCodes", "VPD", "VFD", "html.x", "html.y")
"""Parameters of the form of a table: each is accepted, and only the form that there is here is answered."""

_FIRST, _LAST, _SERIES = "Datefrom", "Dateto", "SeriesCodes"
NAMES = tuple(
    dict.fromkeys(
        spelled
        for name in (_FIRST, _LAST, _SERIES, *_FORM)
        for spelled in (name, name.lower(), name.replace("from", "From").replace("to", "To"))
    )
)
_FORMAT = "TN"


@dataclass(frozen=True, slots=True)
class ColumnQuery:
    """The codes of series, each once, and the first and the last day."""

    series: tuple[str, ...]
    first: date
    last: date


def read_query(query: Mapping[str, str], today: date) -> ColumnQuery:
    """Return what is asked for; a period ends today at the latest. Errors: BadParameter."""
    texts = {name.lower(): text.strip() for name, text in query.items()}
    layout = texts.get("csvf", "").upper() or _FORMAT
    if layout != _FORMAT:
        raise BadParameter(f"Invalid CSVF: [{shorten(layout)}], only TN is answered: a column for each series")
    if texts.get("usingcodes", "").upper() not in ("", "Y"):
        raise BadParameter(f"Invalid UsingCodes: [{shorten(texts['usingcodes'])}], only Y is answered")
    series = _series(texts.get(_SERIES.lower(), ""))
    first = _day(_FIRST, texts.get(_FIRST.lower(), ""), today)
    last = _day(_LAST, texts.get(_LAST.lower(), "") or "now", today)
    if first > last:
        raise BadParameter(f"Invalid Datefrom: [{first}] is after Dateto [{last}]")
    return ColumnQuery(series, first, min(last, today))


def _series(text: str) -> tuple[str, ...]:
    codes = dict.fromkeys(code for part in text.upper().split(",") if (code := part.strip()))
    if not codes:
        raise BadParameter("Missing parameter: [SeriesCodes], such as SeriesCodes=XUDLUSS,XUDLERS")
    for code in codes:
        if code not in BOE_SERIES:
            hint = did_you_mean(code, BOE_SERIES)
            raise BadParameter(f"Invalid SeriesCodes: [{shorten(code)}] is not known here, {hint}")
    return tuple(codes)


def _day(name: str, text: str, today: date) -> date:
    if text.lower() == "now":
        return today
    if not text:
        raise BadParameter(f"Missing parameter: [{name}], such as {name}=01/Jan/2026")
    day, _, rest = text.partition("/")
    month, _, year = rest.partition("/")
    try:
        if all(part.isascii() and part.isdigit() for part in (day, year)) and len(year) == 4:
            return date(int(year), [each.lower() for each in MONTHS].index(month.lower()) + 1, int(day))
    except ValueError:
        pass
    raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes now or the form 01/Jan/2026")
