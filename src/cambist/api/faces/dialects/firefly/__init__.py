"""The dialect `firefly`: the weekly files of rates that Firefly III downloads.

Known from app/Jobs/DownloadExchangeRates.php in firefly-iii/firefly-iii: the year is that of the calendar and the week
that of ISO 8601, so that 29 December 2025 asks for week 1 of 2025; rates must be JSON numbers.
"""

from __future__ import annotations

from datetime import date, timedelta

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.faces.dialects.rates import latest_rates, rates_on
from cambist.api.questions.symbol_parameters import read_code
from cambist.errors import BadParameter, CambistError, NoRate, shorten

_SUFFIX = ".json"


def week(request: DialectRequest) -> DialectAnswer:
    """Answer `/firefly/{year}/{week}/{code}.json`: rates of now for this week, else those of the week's Monday."""
    name = request.path["file"]
    if not name.endswith(_SUFFIX):
        raise BadParameter(f"Unknown file: [{shorten(name)}], it takes a code such as EUR.json")
    base, context = read_code(name.removesuffix(_SUFFIX)), request.context
    day = _monday(request.path["year"], request.path["week"], context.today)
    if day is None:
        found = latest_rates(context, base)
    else:
        request.check_history(day)
        found = rates_on(context, base, None, day)
    return answer_with({"date": found.day(), "rates": found.values}, earliest_day=day)


def _monday(year: str, number: str, today: date) -> date | None:
    """Return the Monday of a week, None for this week. Errors: BadParameter; NoRate for a week to come.

    Days at both ends of a year may be of weeks with one number: the newest of them that has come is meant.
    """
    try:
        first, wanted = date(int(year), 1, 1), int(number)
        days = [day for n in range(366) if (day := first + timedelta(days=n)).year == first.year]
    except (ValueError, OverflowError):
        days, wanted = [], 0
    found = [day for day in days if day.isocalendar().week == wanted]
    if not found:
        raise BadParameter(f"Invalid week: [{shorten(f'{year}/{number}')}], it takes a year and a week of it")
    monday, this_monday = (day - timedelta(days=day.weekday()) for day in (min(found), today))
    come = [each for day in found if (each := day - timedelta(days=day.weekday())) <= this_monday]
    if not come:
        raise NoRate(f"There are no rates of the week of [{monday}] yet")
    return None if come[-1] == this_monday else come[-1]


def write_error(status: int, code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Return an error: Firefly III logs it, and goes on with the next file."""
    return status, msgspec.json.encode({"message": sentence, "code": code})


dialect = Dialect(
    name="firefly",
    title="Firefly III",
    guide="dialect-firefly.md",
    routes=(DialectRoute("/firefly/{year}/{week}/{file}", week),),
    write_error=write_error,
)
