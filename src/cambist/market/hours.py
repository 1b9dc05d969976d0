"""Trading hours, by New York's clock: in closed hours a price stands at the last moment that was open."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cambist.market.moved import FORWARD
from cambist.market.pair import Pair
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES

_NEW_YORK = ZoneInfo("America/New_York")
_CLOSES = time(17)
_FRIDAY, _SATURDAY, _SUNDAY = 4, 5, 6


class Hours(StrEnum):
    """When a market trades: currencies Sunday 17:00 to Friday 17:00, metals but for an hour from 17:00 on."""

    CURRENCIES = "currencies"
    METALS = "metals"
    ALWAYS = "always"


class Traded(NamedTuple):
    """A moment of trade (UTC), also in seconds since 1970."""

    as_of: datetime
    seconds: float


@lru_cache(maxsize=64)
def last_traded(hours: Hours, moment: datetime) -> Traded:
    """Give the last moment of trade at or before `moment`: itself while the market is open, else when it closed.

    Errors: ValueError for a moment without its zone.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no zone")
    as_of = _last_open(hours, moment).astimezone(UTC)
    return Traded(as_of, as_of.timestamp())


def _last_open(hours: Hours, moment: datetime) -> datetime:
    if hours is Hours.ALWAYS:
        return moment
    there = moment.astimezone(_NEW_YORK)
    opens = time(18) if hours is Hours.METALS else _CLOSES
    clock, weekday = there.time(), there.weekday()
    if _is_weekend(clock, weekday, opens):
        return _close(there, (weekday - _FRIDAY) % 7)
    if _CLOSES <= clock < opens:
        return _close(there, 0)
    return moment


def _is_weekend(clock: time, weekday: int, opens: time) -> bool:
    if weekday == _FRIDAY:
        return clock >= _CLOSES
    return weekday == _SATURDAY or (weekday == _SUNDAY and clock < opens)


def _close(there: datetime, days_ago: int) -> datetime:
    return datetime.combine(there.date() - timedelta(days=days_ago), _CLOSES, _NEW_YORK)


@lru_cache(maxsize=16_384)
def hours_of(pair: Pair) -> Hours:
    """Say when a pair trades: with a coin in it always, with a metal in metals' hours, else in the week of FX."""
    sides = {pair.base.removesuffix(FORWARD), pair.quote.removesuffix(FORWARD)}
    if not sides <= CURRENCIES.keys() | METALS.keys():
        return Hours.ALWAYS
    return Hours.METALS if sides & METALS.keys() else Hours.CURRENCIES


def is_open(pair: Pair, moment: datetime) -> bool:
    """Say whether a pair's market is open."""
    hours = hours_of(pair)
    return hours is Hours.ALWAYS or _is_open_in(hours, moment.replace(microsecond=0))


@lru_cache(maxsize=16)
def _is_open_in(hours: Hours, second: datetime) -> bool:
    return last_traded(hours, second).as_of == second
