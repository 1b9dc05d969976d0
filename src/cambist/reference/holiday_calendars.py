"""Holidays of countries and markets, by the calendars of the package `holidays`."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

import holidays
from holidays.registry import EntityLoader

_COUNTRIES = frozenset(EntityLoader.get_country_codes())
_MARKETS = frozenset(EntityLoader.get_financial_codes())
"""By the registry of the package: `list_supported_countries` imports all their calendars, for a tenth of a second."""


def is_calendar(name: str) -> bool:
    """Return whether there is a calendar of a country (`NO`) or of a market (`XECB`)."""
    return name in _COUNTRIES or name in _MARKETS


def on_calendar(name: str, day: date) -> bool:
    """Return whether a day is a holiday of a country (`NO`) or of a market (`XECB`)."""
    return day in _calendar(name, day.year)


@lru_cache(maxsize=256)
def _calendar(name: str, year: int) -> frozenset[date]:
    days = holidays.financial_holidays if name in _MARKETS else holidays.country_holidays
    return frozenset(days(name, years=year))
