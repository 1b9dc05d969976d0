"""The dialect `boe`: daily spot rates against sterling of the Bank of England's database, as CSV.

Known from recorded answers of www.bankofengland.co.uk and from programs that ask it: the first line has `DATE` and the
codes of the series, each other one a business day as `17 Mar 2026` and units for one pound; lines end with CR and LF.
The original answers a wrong request with a web page and status 200; here the page has the status of its error.
"""

from __future__ import annotations

from html import escape

from cambist.api.faces.dialects.bank_rates import Bank, BankRates, by_day, written_rate
from cambist.api.faces.dialects.boe.query import NAMES, read_query
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.written_days import short_day
from cambist.errors import BadParameter, CambistError, NoRate, shorten
from cambist.reference.boe_series import BOE_SERIES

_BANK = Bank("boe", "GBP", "GB", prices_own=True)
_FILES = {"database": "_iadb-fromshowcolumns.asp", "iadb": "fromshowcolumns.asp"}
"""The name of the file in each of its folders, in lower case: the server does not tell cases apart."""


def columns(request: DialectRequest) -> DialectAnswer:
    """Answer `_iadb-fromshowcolumns.asp`: the series in `SeriesCodes` between two days, at a call for each."""
    if request.path["file"].lower() != _FILES.get(request.path["folder"].lower()):
        raise BadParameter(f"Unknown file: [{shorten(request.path['file'])}], there is _iadb-fromshowcolumns.asp")
    asked = read_query(request.query, request.context.today)
    request.check_history(asked.first)
    rates = BankRates(request.context, _BANK, [BOE_SERIES[series] for series in asked.series])
    found = by_day({series: rates.days(BOE_SERIES[series], asked.first, asked.last) for series in asked.series})
    if not found:
        raise NoRate(f"No rate of [{','.join(asked.series)}] was published between [{asked.first}] and [{asked.last}]")
    lines = [",".join(("DATE", *asked.series))]
    for day, row in found.items():
        cells = (written_rate(row[series], 0) if series in row else "" for series in asked.series)
        lines.append(",".join((short_day(day), *cells)))
    content = "".join(f"{line}\r\n" for line in lines).encode()
    return DialectAnswer(content, "application/csv", cost=len(asked.series), earliest_day=next(iter(found)))


def write_error(status: int, _code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Write an error as a short HTML page: the original answers with a page too, by which programs see it."""
    return status, f"<html><head><title>{status}</title></head><body>{escape(sentence)}</body></html>\n".encode()


dialect = Dialect(
    name="boe",
    title="Bank of England",
    guide="dialects-of-banks.md",
    routes=(DialectRoute("/boeapps/{folder}/{file}", columns, NAMES, series_with=()),),
    write_error=write_error,
    error_media_type="text/html; charset=utf-8",
)
