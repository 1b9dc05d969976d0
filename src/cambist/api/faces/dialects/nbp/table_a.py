"""Table A of the National Bank of Poland, by days, from what the source `nbp` published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.bank_rates import Bank, BankRates, by_day, numbers_of
from cambist.api.faces.dialects.nbp.periods import TablePeriod
from cambist.errors import NoRate

TABLE = "A"
TABLE_A = (
    *("THB", "USD", "AUD", "HKD", "CAD", "NZD", "SGD", "EUR", "HUF", "CHF", "GBP", "UAH", "JPY", "CZK", "DKK", "ISK"),
    *("NOK", "SEK", "RON", "TRY", "ILS", "CLP", "PHP", "MXN", "ZAR", "BRL", "MYR", "IDR", "INR", "KRW", "CNY", "XDR"),
    *("BGN", "HRK", "RUB", "LTL", "LVL", "EEK", "SKK", "SIT", "CYP", "MTL"),
)
"""The currencies of table A, those of today first, and some that it had before."""

_DAILY = "USD"
"""A currency that every table A has: its days are those of the table."""

BANK = Bank("nbp", "PLN", "PL")
_PADDED_SINCE = 2013
"""The first year in which the number of a table has three digits: `001/A/NBP/2013`, but `1/A/NBP/2012`."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a day: its number, None if it is not certain, and zlotys for one unit by code."""

    day: date
    number: str | None
    rates: Mapping[str, float]


def published_tables(context: RequestContext, codes: Iterable[str], period: TablePeriod) -> list[PublishedTable]:
    """Return the tables of a period with some codes, oldest first. Errors: NoRate if there is none."""
    wanted = tuple(codes)
    rates = BankRates(context, BANK, (*wanted, _DAILY))
    start = period.first.replace(month=1, day=1)
    days = list(rates.days(_DAILY, start, period.last))
    found = by_day({code: _daily(rates.days(code, start, period.last), days) for code in wanted})
    shown = [day for day in found if period.first <= day <= period.last]
    if period.most is not None:
        shown = shown[-period.most :]
    if not shown:
        raise NoRate(f"No rate was published between [{period.first}] and [{period.last}]")
    numbers = numbers_of(days, BANK.holidays)
    return [PublishedTable(day, _numbered(day, numbers.get(day)), found[day]) for day in shown]


def _daily(rates: Mapping[date, float], days: list[date]) -> dict[date, float]:
    """Leave out what was published in the weekly table B: neither the day before nor the day after has a rate too."""
    if len(days) < 2:
        return {day: rate for day, rate in rates.items() if day in days}
    around = {day: (*days[max(place - 1, 0) : place], *days[place + 1 : place + 2]) for place, day in enumerate(days)}
    return {day: rate for day, rate in rates.items() if any(each in rates for each in around.get(day, ()))}


def _numbered(day: date, number: int | None) -> str | None:
    if number is None:
        return None
    width = 3 if day.year >= _PADDED_SINCE else 1
    return f"{number:0{width}d}/{TABLE}/NBP/{day.year}"
