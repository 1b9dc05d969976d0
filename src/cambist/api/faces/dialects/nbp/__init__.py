"""The dialect `nbp`: the average rates of the National Bank of Poland, table A, and its prices of gold.

Known from recorded answers of api.nbp.pl, from its documentation and from programs that ask it: a day without a table
is 404 with the text `404 NotFound - Not Found - Brak danych`, a period that is too long 400 `BadRequest`; at most 367
days or 255 rates of one currency or prices of gold, and 93 days or 67 tables. Tables B and C are not answered: the
archive does not say in which table a rate was, and has no rates of buying and selling.
"""

from __future__ import annotations

from http import HTTPStatus

from cambist.api.faces.dialects.accepted_types import accepted_types
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.nbp.documents import (
    gold_as_json,
    gold_as_xml,
    rates_as_json,
    rates_as_xml,
    tables_as_json,
    tables_as_xml,
)
from cambist.api.faces.dialects.nbp.gold import published_gold
from cambist.api.faces.dialects.nbp.periods import OF_CURRENCY, OF_TABLE, TablePeriod, read_period
from cambist.api.faces.dialects.nbp.table_a import TABLE, TABLE_A, published_tables
from cambist.errors import BadParameter, CambistError, NoRate, shorten

_JSON, _XML = "application/json; charset=utf-8", "application/xml; charset=utf-8"
_TYPES = {
    "application/json": False, "text/json": False, "*/*": False, "application/*": False,
    "application/xml": True, "text/xml": True, "text/*": True,
}  # fmt: skip
_NO_DATA = "404 NotFound - Not Found - Brak danych"
"""The whole text of a day without a table, which programs compare with."""


def rates(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/exchangerates/rates/a/{code}`, of the newest table, of a day or of a period: one currency."""
    is_xml, period = _read(request, OF_CURRENCY)
    _check_table(request)
    code = request.path["code"].upper()
    if code not in TABLE_A:
        raise NoRate(f"No rate of [{shorten(code)}] in table A")
    tables = published_tables(request.context, (code,), period)
    write = rates_as_xml if is_xml else rates_as_json
    return DialectAnswer(write(code, tables), _XML if is_xml else _JSON, earliest_day=tables[0].day)


def tables(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/exchangerates/tables/a`, of the newest day, of a day or of a period: all currencies."""
    is_xml, period = _read(request, OF_TABLE)
    _check_table(request)
    found = published_tables(request.context, TABLE_A, period)
    write = tables_as_xml if is_xml else tables_as_json
    cost = 1 if len(found) == 1 else max(len(table.rates) for table in found)
    return DialectAnswer(write(found), _XML if is_xml else _JSON, cost, earliest_day=found[0].day)


def gold(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/cenyzlota`, of the newest day, of a day or of a period: zlotys for a gram of gold."""
    is_xml, period = _read(request, OF_CURRENCY)
    prices = published_gold(request.context, period)
    write = gold_as_xml if is_xml else gold_as_json
    return DialectAnswer(write(prices), _XML if is_xml else _JSON, earliest_day=next(iter(prices)))


def _read(request: DialectRequest, limits: tuple[int, int]) -> tuple[bool, TablePeriod]:
    """Return whether XML is wanted, and the period. Errors: BadParameter, NotInPlan."""
    is_xml = _wants_xml(request.query.get("format", "").strip().lower(), request.accept)
    period = read_period(request.path, request.context.today, *limits)
    if period.most is None:
        request.check_history(period.first)
    return is_xml, period


def _check_table(request: DialectRequest) -> None:
    if request.path["table"].upper() != TABLE:
        raise NoRate(f"There is no table [{shorten(request.path['table'])}] here: only table A is answered")


def _wants_xml(name: str, accept: str) -> bool:
    if name not in ("", "json", "xml"):
        raise BadParameter(f"Invalid format: [{shorten(name)}], use json or xml")
    if name:
        return name == "xml"
    return next((_TYPES[each] for each in accepted_types(accept) if each in _TYPES), False)


def write_error(status: int, _code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as a line of text that begins with the status, as the original's do."""
    if isinstance(error, NoRate):
        return status, _NO_DATA.encode()
    phrase = HTTPStatus(status).phrase.replace(" ", "")
    return status, f"{status} {phrase} - {sentence}".encode()


def _routes() -> tuple[DialectRoute, ...]:
    return tuple(
        DialectRoute(
            f"/api/{path}{period}",
            answer,
            ("format",),
            negotiates=True,
            series_with=() if period.count("/") > 1 else None,
        )
        for path, answer in (
            ("exchangerates/rates/{table}/{code}", rates),
            ("exchangerates/tables/{table}", tables),
            ("cenyzlota", gold),
        )
        for period in ("", "/{day}", "/{day}/{end}")
    )


dialect = Dialect(
    name="nbp",
    title="National Bank of Poland",
    guide="dialects-of-banks.md",
    routes=_routes(),
    write_error=write_error,
    error_media_type="text/plain; charset=utf-8",
)
