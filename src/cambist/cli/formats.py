"""How commands write values for people: ages, prices, fixings and table cells."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cambist.history.fixing import Fixing

_UNITS = (
    ("d", timedelta(days=1), 2),
    ("h", timedelta(hours=1), 1),
    ("min", timedelta(minutes=1), 1),
)
"""A unit, its length, and the smallest number of it: days start at two, because 30h is more precise than 1d."""


def format_age(age: timedelta) -> str:
    """Return an age as 22d, 3h, 5min or 12.3s, rounded down. A negative age, of a clock that is ahead, is 0.0s."""
    for name, unit, smallest in _UNITS:
        if age >= unit * smallest:
            return f"{age // unit}{name}"
    tenths = max(age, timedelta()) // timedelta(milliseconds=100)
    return f"{tenths / 10:.1f}s"


def format_price(price: Decimal) -> str:
    """Return a price without an exponent."""
    return format(price, "f")


def format_fixing(fixing: Fixing) -> str:
    """Return a fixing with the digits that were published: `100 JPY = 0.6123 EUR`."""
    unit = f" {fixing.unit}" if fixing.unit else ""
    return f"{fixing.nominal}{unit} {fixing.pair.base} = {fixing.value:f} {fixing.pair.quote}"


def format_cell(value: object) -> str:
    """Return a value as tables show it; None is empty."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(format_cell(each) for each in value)
    return "" if value is None else str(value)
