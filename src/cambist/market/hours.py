"""Trading hours, by New York's clock, base metals' by London's.

In closed hours a price stands at the last moment that was open.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cambist.market.moved import FORWARD
from cambist.market.pair import Pair
from cambist.reference.assets import METALS, MetalKind
from cambist.reference.closures import CLOSURES
from cambist.reference.tables import CURRENCIES

_NEW_YORK, _LONDON = ZoneInfo("America/New_York"), ZoneInfo("Europe/London")
_CLOSES, _METALS_OPEN = time(17), time(18)
_LME_OPENS, _LME_CLOSES = time(1), time(19)
_INSTANT = timedelta(microseconds=1)
_FRIDAY, _SATURDAY, _SUNDAY = 4, 5, 6


class Hours(StrEnum):
    """When a market trades: currencies Sunday 17:00 to Friday 17:00, metals but for an hour from 17:00 on.

    The London Metal Exchange's base metals Monday to Friday from 01:00 to 19:00, but for its closures.
    """

    CURRENCIES = "currencies"
    METALS = "metals"
    LME = "lme"
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
    if hours is Hours.LME:
        return _last_open_in_london(moment)
    there = moment.astimezone(_NEW_YORK)
    opens = _METALS_OPEN if hours is Hours.METALS else _CLOSES
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


def _last_open_in_london(moment: datetime) -> datetime:
    there = moment.astimezone(_LONDON)
    day = there.date()
    if _is_lme_day(day) and there.time() >= _LME_OPENS:
        return min(moment, _lme_close(day))
    day -= timedelta(days=1)
    while not _is_lme_day(day):
        day -= timedelta(days=1)
    return _lme_close(day)


def _is_lme_day(day: date) -> bool:
    return day.weekday() < _SATURDAY and day not in CLOSURES[Hours.LME]


def _lme_close(day: date) -> datetime:
    return datetime.combine(day, _LME_CLOSES, _LONDON)


@lru_cache(maxsize=16_384)
def hours_of(pair: Pair) -> Hours:
    """Say when a pair trades: with a coin in it always, with a metal in that metal's hours, else in the week of FX.

    Of two metals in the shorter hours, the base metal's: they lie within the other's.
    """
    sides = {pair.base.removesuffix(FORWARD), pair.quote.removesuffix(FORWARD)}
    if not sides <= CURRENCIES.keys() | METALS.keys():
        return Hours.ALWAYS
    kinds = {METALS[code].kind for code in sides & METALS.keys()}
    if MetalKind.BASE in kinds:
        return Hours.LME
    return Hours.METALS if kinds else Hours.CURRENCIES


def is_open(pair: Pair, moment: datetime) -> bool:
    """Say whether a pair's market is open."""
    hours = hours_of(pair)
    return hours is Hours.ALWAYS or _is_open_in(hours, moment.replace(microsecond=0))


@lru_cache(maxsize=16)
def _is_open_in(hours: Hours, second: datetime) -> bool:
    return last_traded(hours, second).as_of == second


def age_when_traded(pair: Pair, as_of: datetime, now: datetime) -> timedelta:
    """Give for how long a price of `as_of` could have been traded anew; for what always trades, how old it is now.

    In closed hours nothing grows older: the last price of a Friday is as young on Sunday, and one that was old by then
    stays old. When the market opens it begins to age again, so that the first price of a week has its time to come.
    Never below zero.
    """
    hours = hours_of(pair)
    if hours is Hours.ALWAYS:  # left out of the cache, which is small and keyed by the moment
        return max(now - as_of, timedelta())
    traded = last_traded(hours, now).as_of
    opened = _opened(hours, traded)
    if traded < now or as_of >= opened:
        return max(traded - as_of, timedelta())
    closed = last_traded(hours, opened - _INSTANT).as_of
    return traded - opened + max(closed - as_of, timedelta())


@lru_cache(maxsize=64)
def _opened(hours: Hours, traded: datetime) -> datetime:
    """Give when the session began in which a moment of trade lies; the moment of a close is the session's last."""
    if hours is Hours.LME:
        there = traded.astimezone(_LONDON)
        return datetime.combine(there.date(), _LME_OPENS, _LONDON).astimezone(UTC)
    there = traded.astimezone(_NEW_YORK)
    if hours is Hours.METALS:
        days_ago, opens = int(there.time() < _METALS_OPEN), _METALS_OPEN
    else:
        days_ago, opens = (there.weekday() - _SUNDAY) % 7, _CLOSES
    return datetime.combine(there.date() - timedelta(days=days_ago), opens, _NEW_YORK).astimezone(UTC)
