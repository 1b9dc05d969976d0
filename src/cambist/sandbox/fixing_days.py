"""Fixing days: the days on which a code is fixed, and the time of the fixing."""

from __future__ import annotations

from datetime import date, time, timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.pricing.parity import parity_periods
from cambist.pricing.trading_hours import Hours
from cambist.reference.closures import CLOSURES
from cambist.reference.currency_tables import CURRENCIES
from cambist.sandbox.decimals import Floats
from cambist.sandbox.levels import midnight
from cambist.sandbox.pegs import pegged_on

FIXED_AT = time(14, 15)
"""The time of the fixing (UTC). On business days every market is open then."""

Rows = NDArray[np.intp]


def fixing_rows(code: str, hours: Hours, first_day: date, days: int) -> Rows:
    """Return the days on which a code is fixed, as numbers counted from `first_day`."""
    rows = np.arange(days)
    if hours is Hours.ALWAYS:
        return rows
    rows = rows[(rows + first_day.weekday()) % 7 < 5]
    if hours is Hours.CURRENCIES:
        rows = rows[floating_days(code, first_day, days)[rows]]
    if hours is Hours.LME:
        closed = [(day - first_day).days for day in CLOSURES[hours]]
        rows = rows[~np.isin(rows, closed)]
    return rows


def fixing_seconds(first_day: date, rows: Rows) -> Floats:
    """Return the times of the fixings of those days, in seconds since 1970."""
    into_day = FIXED_AT.hour * 3600 + FIXED_AT.minute * 60
    return rows.astype(np.float64) * 86_400.0 + (midnight(first_day) + into_day)


def floating_days(code: str, first_day: date, days: int) -> NDArray[np.bool_]:
    """Return for each day whether a currency exists and is not fixed by law."""
    currency = CURRENCIES[code]
    floats = np.zeros(days, dtype=np.bool_)
    for life in currency.lives:
        end = days if life.last_day is None else (life.last_day - first_day).days + 1
        floats[max(0, (life.first_day - first_day).days) : max(0, end)] = True
    for start, stop in parity_periods(first_day, days):
        if code in pegged_on(first_day + timedelta(days=start)):
            floats[start:stop] = False
    return floats
