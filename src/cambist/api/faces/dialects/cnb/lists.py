"""The lists of the Czech National Bank, from what the source `cnb` published: of a day, and of a year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.bank_rates import (
    Bank,
    BankRates,
    by_day,
    last_fixings,
    numbers_of,
    with_decimals,
    written_rate,
)
from cambist.api.faces.dialects.cnb.wording import Wording
from cambist.errors import NoRate
from cambist.history.fixing import Fixing

BANK = Bank("cnb", "CZK", "CZ")
_DECIMALS = 3
_DAILY = "USD"
"""A currency that every list has: its days are those of the lists."""

Nominals = Mapping[str, int]


def written_list(context: RequestContext, wording: Wording, day: date, fixings: Iterable[Fixing]) -> bytes:
    """Write the list of a day. It has no number if lists of the year before it may be missing here."""
    year = BankRates(context, BANK, (_DAILY,)).days(_DAILY, day.replace(month=1, day=1), day)
    number = numbers_of(year, BANK.holidays).get(day)
    by_code = {fixing.pair.base: fixing for fixing in fixings}
    rows = []
    for code in wording.ordered(by_code):
        fixing, (country, name) = by_code[code], wording.names(code)
        rate = wording.decimal(with_decimals(format(fixing.value, "f"), _DECIMALS))
        rows.append(f"{country}|{name}|{fixing.nominal}|{code}|{rate}")
    head = wording.day(day) if number is None else f"{wording.day(day)} #{number}"
    return "".join(f"{line}\n" for line in (head, wording.columns, *rows)).encode()


@dataclass(frozen=True, slots=True)
class YearLists:
    """The rates of one unit by day and code, oldest first, and the amounts for which they were published each day."""

    rates: Mapping[date, Mapping[str, float]]
    nominals: Mapping[date, Nominals]

    def written(self, wording: Wording) -> bytes:
        """Write a line for each day, under headings with the amounts and codes of the lines that follow."""
        return "".join(f"{line}\n" for line in self._lines(wording)).encode()

    def _lines(self, wording: Wording) -> Iterator[str]:
        shown: Sequence[str] = ()
        for day, rates in self.rates.items():
            amounts = {code: self.nominals[day].get(code, 1) for code in sorted(rates)}
            columns = [f"{amount} {code}" for code, amount in amounts.items()]
            if columns != shown:
                yield "|".join((wording.date_column, *columns))
                shown = columns
            values = (written_rate(rates[code] * amount, _DECIMALS) for code, amount in amounts.items())
            yield "|".join((f"{day:%d.%m.%Y}", *map(wording.decimal, values)))


def list_of_year(context: RequestContext, first: date, last: date) -> YearLists:
    """Return the lists between two days of a year. Errors: NoRate if there is none."""
    codes = sorted({fixing.pair.base for fixing in last_fixings(context, BANK, last)})
    rates = BankRates(context, BANK, codes)
    found = by_day({code: rates.days(code, first, last) for code in codes})
    if not found:
        raise NoRate(f"No rate was published between [{first}] and [{last}]")
    return YearLists(found, _nominals(list(found), cache(partial(_nominals_on, context))))


def written_period(context: RequestContext, wording: Wording, code: str, first: date, last: date) -> bytes:
    """Write the rates of one currency between two days, for the amount of the last; nothing if there is none."""
    rates = BankRates(context, BANK, (code,)).days(code, first, last)
    if not rates:
        return b""
    amount = _nominals_on(context, max(rates)).get(code, 1)
    head = (wording.amount_line.format(code=code, amount=amount), f"{wording.date_column}|{wording.rate_column}")
    rows = (f"{day:%d.%m.%Y}|{wording.decimal(written_rate(rate * amount, _DECIMALS))}" for day, rate in rates.items())
    return "".join(f"{line}\n" for line in (*head, *rows)).encode()


def _nominals_on(context: RequestContext, day: date) -> Nominals:
    return {fixing.pair.base: fixing.nominal for fixing in last_fixings(context, BANK, day)}


def _nominals(days: Sequence[date], read: Callable[[date], Nominals]) -> dict[date, Nominals]:
    """Return the amounts of each day, read on as few days as their changes allow: a year seldom has one."""
    first, last = read(days[0]), read(days[-1])
    if all(first.get(code, amount) == amount for code, amount in last.items()):
        return dict.fromkeys(days, last)
    middle = len(days) // 2
    return {**_nominals(days[:middle], read), **_nominals(days[middle:], read)}
