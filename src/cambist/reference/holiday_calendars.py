"""Holidays of countries and markets, by the calendars of the package `holidays`."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

import holidays


def on_calendar(name: str, day: date) -> bool:
    """Return whether a day is a holiday of a country (`NO`) or of a market (`XECB`)."""
    return day in _calendar(name, day.year)


@lru_cache(maxsize=256)
def _calendar(name: str, year: int) -> frozenset[date]:
    is_market = name in holidays.list_supported_financial()
    days = holidays.financial_holidays if is_market else holidays.country_holidays
    return frozenset(days(name, years=year))
