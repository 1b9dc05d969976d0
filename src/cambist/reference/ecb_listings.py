"""What the European Central Bank fixes: the currencies of its euro reference rates, and the days.

The table `ecb_currencies.csv` has the currencies in the order of the columns of the ECB's history file, each with the
first and last day on which it was listed; a currency that was listed again later has two rows. The days are TARGET's
business days.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

from cambist.reference.currency_tables import Life
from cambist.reference.table_loader import Code, Table

FIRST_REFERENCE_DAY = date(1999, 1, 4)
"""The first day with euro reference rates."""

_SATURDAY = 5
_ONE_DAY = timedelta(days=1)
_NOT_FIXED = (date(1999, 12, 31), date(2001, 12, 31))
"""The days on which TARGET was closed for the change of the millennium and for that to euro cash."""


class EcbListing(Struct, frozen=True):
    """The days, both inclusive, on which the ECB listed a currency; `last_day` is None if it still does."""

    code: Code
    first_day: date
    last_day: date | None = None

    def __post_init__(self) -> None:
        """Refuse a listing that ends before it begins."""
        if self.last_day is not None and self.last_day < self.first_day:
            raise ValueError(f"last_day: {self.last_day} is before {self.first_day}")


ECB_LISTING_TABLE = Table("ecb_currencies.csv", EcbListing, unique=("code", "first_day"))


def _by_code() -> Mapping[str, tuple[Life, ...]]:
    listed: dict[str, tuple[Life, ...]] = {}
    for row in ECB_LISTING_TABLE.read():
        listed[row.code] = (*listed.get(row.code, ()), Life(row.first_day, row.last_day))
    return MappingProxyType(listed)


ECB_LISTINGS: Mapping[str, tuple[Life, ...]] = _by_code()
"""The periods in which the ECB listed each currency, in the order of its files."""


def is_target_day(day: date) -> bool:
    """Return whether the ECB fixes euro reference rates on a day; it does on no day before 1999-01-04."""
    if day.weekday() >= _SATURDAY or day < FIRST_REFERENCE_DAY or day in _NOT_FIXED:
        return False
    return day not in _holidays(day.year)


def target_days(first: date, last: date) -> Iterator[date]:
    """Yield the days from `first` to `last`, both inclusive, on which the ECB fixes, oldest first."""
    day = max(first, FIRST_REFERENCE_DAY)
    while day <= last:
        if is_target_day(day):
            yield day
        day += _ONE_DAY


@lru_cache(maxsize=256)
def _holidays(year: int) -> frozenset[date]:
    always = (date(year, 1, 1), date(year, 12, 25))
    if year < 2000:  # the other four are closed since the ECB's decision of 15 July 1999
        return frozenset(always)
    easter = easter_sunday(year)
    more = (easter - 2 * _ONE_DAY, easter + _ONE_DAY, date(year, 5, 1), date(year, 12, 26))
    return frozenset((*always, *more))


def easter_sunday(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar, by the rule of Gauss as Lichtenberg completed it."""
    century = year // 100
    lunar = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    solar = 2 - (3 * century + 3) // 4
    age = (19 * (year % 19) + lunar) % 30
    full_moon = 21 + age - (age + year % 19 // 11) // 29
    sunday = 7 - (year + year // 4 + solar) % 7
    return date(year, 3, 1) + (full_moon + 7 - (full_moon - sunday) % 7 - 1) * _ONE_DAY
