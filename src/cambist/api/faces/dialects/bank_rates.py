"""What one central bank published, for the dialects that speak as it does: its own days, direction and digits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.publisher_rates import PublisherRates, RateChoice
from cambist.errors import NoRate
from cambist.history.as_of import CARRY_DAYS
from cambist.history.day_rules import DayRule
from cambist.history.fixing import Fixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.anchor import anchor_on
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import Pair
from cambist.reference.holiday_calendars import on_calendar

REACH = timedelta(days=CARRY_DAYS)
"""How long before a day a publication may be that is still the newest, as for all fixings."""

_ONE_DAY = timedelta(days=1)
_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Bank:
    """A central bank: the key of its source, its currency, and the calendar of its holidays.

    With `prices_own` its rates are units of others for one of its own, else units of its own for one of another.
    """

    source: str
    currency: str
    holidays: str
    prices_own: bool = False


class BankRates:
    """The rates that a bank published of some codes. Errors: BadParameter if its source is not asked here."""

    def __init__(self, context: RequestContext, bank: Bank, codes: Iterable[str]) -> None:
        self._bank = bank
        self._rates = PublisherRates(context, RateChoice(bank.source, DayRule.DAY), codes)

    def days(self, code: str, first: date, last: date) -> dict[date, float]:
        """Return the rates of one unit on the days on which they were published, oldest first.

        Errors: RateUnavailable.
        """
        found: dict[date, float] = {}
        if last < FIRST_DAY:
            return found
        first = max(first, FIRST_DAY)
        for own in dict.fromkeys(anchor_on(self._bank.currency, day) for day in (first, last)):
            pair = Pair(own, code) if self._bank.prices_own else Pair(code, own)
            try:
                days = self._rates.days(pair, first, last)
            except NoRate:
                continue
            found.update(zip(days.dates(), days.rates.tolist(), strict=True))
        return dict(sorted(found.items()))


def last_fixings(context: RequestContext, bank: Bank, day: date) -> list[Fixing]:
    """Return the last fixing of each currency that a bank published up to a day, as it was published.

    Errors: BadParameter if the bank's source is not asked here, RateUnavailable.
    """
    PublisherRates(context, RateChoice(bank.source, DayRule.DAY), ())  # refuses a source that is not asked here
    read = context.fixings
    received = () if read is None else read(bank.source, anchor_on(bank.currency, day), day)
    return [each.fixing for each in received if not (each.fixing.unit or each.fixing.rate_type)]


def list_on(context: RequestContext, bank: Bank, day: date) -> tuple[date, list[Fixing]]:
    """Return the day and the fixings of the last list that a bank published up to a day.

    Errors: NoRate if it is more than two weeks older; those of `last_fixings`.
    """
    fixings = last_fixings(context, bank, day)
    newest = max((fixing.day for fixing in fixings), default=date.min)
    if newest < day - REACH:
        raise NoRate(f"No rate was published by [{bank.source}] between [{day - REACH}] and [{day}]")
    return newest, [fixing for fixing in fixings if fixing.day == newest]


def numbers_of(days: Iterable[date], holidays: str) -> dict[date, int]:
    """Return the number of each publication within its year, as the banks count them: 1 for the first.

    A number is certain only if nothing before it may be missing: from the first working day of a year that is not among
    the ascending `days`, no publication of that year has a number.
    """
    numbers: dict[date, int] = {}
    year, counted, before = 0, 0, date.min
    for day in days:
        if day.year != year:
            year, counted, before = day.year, 0, date(day.year, 1, 1) - _ONE_DAY
        if counted < 0 or any(_is_working_day(each, holidays) for each in _between(before, day)):
            counted = -1
            continue
        counted += 1
        numbers[day], before = counted, day
    return numbers


def _between(before: date, day: date) -> Iterable[date]:
    return (before + timedelta(days=number) for number in range(1, (day - before).days))


def _is_working_day(day: date, holidays: str) -> bool:
    return day.weekday() < _SATURDAY and not on_calendar(holidays, day)


def by_day(rates: Mapping[str, Mapping[date, float]]) -> dict[date, dict[str, float]]:
    """Return rates by day, oldest first, and then by code, in the order in which the codes are given."""
    found: dict[date, dict[str, float]] = {}
    for code, days in rates.items():
        for day, rate in days.items():
            found.setdefault(day, {})[code] = rate
    return dict(sorted(found.items()))


def written_rate(rate: float, decimals: int) -> str:
    """Write a published rate with its digits, and with at least so many decimals."""
    return with_decimals(plain_float(rate), decimals)


def with_decimals(number: str, decimals: int) -> str:
    """Return a decimal number with zeros at its end, so that it has at least so many decimals."""
    whole, _, part = number.partition(".")
    return f"{whole}.{part.ljust(decimals, '0')}" if decimals else number
