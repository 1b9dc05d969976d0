"""Series of one publisher's rates, or of those that count for each day by a rule."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET

from cambist.api.bodies.publisher_rates import PublisherRates, booked
from cambist.errors import BadParameter, NoRate
from cambist.history.published_days import day_number
from cambist.history.series import Series
from cambist.pricing.pair import Pair

MOST_COUNTED = 4_000
"""How many rates one answer finds by a rule: ten currencies in a year. Each is found by itself."""


class CountedSeries(NamedTuple):
    """The rates that count, and for each day how many days before it that publication was; negative if after it."""

    series: Series
    ages: list[int | None]


def counted_series(rates: PublisherRates, pair: Pair, start: date, end: date, *, targets: int) -> CountedSeries:
    """Return the rates that count for each day of a period, those of `/historical`, for one of several targets.

    Errors: NoRate if there are none, BadParameter if all targets have too many.
    """
    if (asked := targets * ((end - start).days + 1)) > MOST_COUNTED:
        sentence = f"Too many rates: [{asked}]. With [rule] or [booking] at most {MOST_COUNTED} are answered at once"
        raise BadParameter(f"{sentence}: ask for a shorter period")
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    values, ages = np.full(len(days), np.nan), [0] * len(days)
    last: NoRate | None = None
    for row, day in enumerate(days):
        try:
            found = rates.counted(pair, rates.choice.counting(day), nearest=False)
        except NoRate as error:
            last = error
            continue
        values[row], ages[row] = float(found.rate), (day - found.day).days
    if last is not None and np.isnan(values).all():
        raise last
    return CountedSeries(Series(pair, start, values), list(ages))


def published_series(rates: PublisherRates, pair: Pair, start: date, end: date) -> Series:
    """Return the rates of one source on the days on which it published them. Errors: NoRate."""
    found = rates.days(pair, start, end)
    if not len(found.days):
        raise NoRate(f"[{rates.choice.source}] published no rate from [{pair.base}] to [{pair.quote}] then")
    values = np.full((end - start).days + 1, np.nan)
    values[found.days - day_number(start)] = found.rates
    return Series(pair, start, values)


def names_of_choice(rates: PublisherRates | None, *, is_counted: bool) -> dict[str, Any]:
    """Return the fields that say whose rates are shown, and by which rule."""
    if rates is None:
        return {}
    rule = rates.choice.rule if is_counted else UNSET
    return {"source": rates.source or UNSET, "rule": rule, "booking": booked(rates.choice)}
