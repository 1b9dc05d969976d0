"""The dialect `cnb`: the lists of the Czech National Bank as text, of a day and of a year, in English and Czech.

Known from recorded lists of www.cnb.cz and from programs that read them: a day without a list is answered with the one
before, which has its own day; each list has its number in the year; the list of a year repeats its heading where the
currencies or their amounts change. `selected.txt` and `vybrane.txt` have one currency on the days of lists between two
days, under its amount, and nothing for a currency that has no rate there, as programs expect that ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape

from cambist.api.faces.dialects.bank_rates import list_on
from cambist.api.faces.dialects.cnb.lists import BANK, list_of_year, written_list, written_period
from cambist.api.faces.dialects.cnb.periods import read_day, read_days, read_year
from cambist.api.faces.dialects.cnb.wording import CZECH, ENGLISH, Wording
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.questions.symbol_parameters import read_code
from cambist.errors import BadParameter, CambistError, shorten

_TEXT = "text/plain;charset=UTF-8"
_FOLDERS = {
    ENGLISH: (
        "/en/financial-markets/foreign-exchange-market/central-bank-exchange-rate-fixing/central-bank-exchange-rate-fixing",
        "/en/financial_markets/foreign_exchange_market/exchange_rate_fixing",
    ),
    CZECH: (
        "/cs/financni-trhy/devizovy-trh/kurzy-devizoveho-trhu/kurzy-devizoveho-trhu",
        "/cs/financni_trhy/devizovy_trh/kurzy_devizoveho_trhu",
    ),
}
"""The folders of the lists, the bank's present one first, and the one that it had before."""


def day_list(wording: Wording, request: DialectRequest) -> DialectAnswer:
    """Answer `daily.txt` and `denni_kurz.txt`: the list of a `date`, else the newest; with amounts as published."""
    day = read_day(request.query.get("date", ""), request.context.today)
    request.check_history(day)
    found, fixings = list_on(request.context, BANK, day)
    return DialectAnswer(written_list(request.context, wording, found, fixings), _TEXT, earliest_day=found)


def year_list(wording: Wording, request: DialectRequest) -> DialectAnswer:
    """Answer `year.txt` and `rok.txt`: all lists of a year, one line each; it costs one call for each currency."""
    first, last = read_year(wording.year_parameter, request.query, request.context.today)
    request.check_history(first)
    lists = list_of_year(request.context, first, last)
    cost = max(len(rates) for rates in lists.rates.values())
    return DialectAnswer(lists.written(wording), _TEXT, cost, earliest_day=next(iter(lists.rates)))


def period_list(wording: Wording, request: DialectRequest) -> DialectAnswer:
    """Answer `selected.txt` and `vybrane.txt`: one currency on each day with a list between two days."""
    currency, start, end = wording.period_parameters
    first, last = read_days((start, end), request.query, request.context.today)
    code = read_code(request.query.get(currency, ""))
    if (form := request.query.get("format", "").strip()) not in ("", "txt"):
        raise BadParameter(f"Invalid format: [{shorten(form)}], it takes txt")
    request.check_history(first)
    content = written_period(request.context, wording, code, first, last)
    return DialectAnswer(content, _TEXT, cost=1 if content else 0, earliest_day=first)


def write_error(status: int, _code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Write an error as a short HTML page: the original answers with pages too."""
    return status, f"<html><head><title>{status}</title></head><body>{escape(sentence)}</body></html>\n".encode()


def _routes() -> Iterator[DialectRoute]:
    for wording, folders in _FOLDERS.items():
        for folder in folders:
            yield DialectRoute(f"{folder}/{wording.day_file}", partial(day_list, wording), ("date",))
            year = (wording.year_parameter,)
            yield DialectRoute(f"{folder}/{wording.year_file}", partial(year_list, wording), year, series_with=())
            days = (*wording.period_parameters, "format")
            yield DialectRoute(f"{folder}/{wording.period_file}", partial(period_list, wording), days, series_with=())


dialect = Dialect(
    name="cnb",
    title="Czech National Bank",
    guide="dialects-of-banks.md",
    routes=tuple(_routes()),
    write_error=write_error,
    error_media_type="text/html; charset=utf-8",
)
