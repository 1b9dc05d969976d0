"""Trading hours, by New York's clock, base metals' by London's.

A market trades in sessions, one for each weekday that is no closure of it. In closed hours a price stands at the last
moment that was open.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cambist.pricing.forward_adjusted import FORWARD
from cambist.pricing.pair import Pair
from cambist.reference.assets import METALS, MetalKind
from cambist.reference.closures import CLOSURES
from cambist.reference.tables import CURRENCIES

_INSTANT = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_SATURDAY = 5


class Hours(StrEnum):
    """When a market trades: currencies Sunday 17:00 to Friday 17:00, metals but for an hour from 17:00 on.

    The London Metal Exchange's base metals Monday to Friday from 01:00 to 19:00. Each but for its closures.
    """

    CURRENCIES = "currencies"
    METALS = "metals"
    LME = "lme"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class _Sessions:
    """When the session of a day opens and closes; it may open on the eve."""

    zone: ZoneInfo
    opens: time
    closes: time
    opens_on_eve: bool

    def open(self, day: date) -> datetime:
        return datetime.combine(day - _DAY if self.opens_on_eve else day, self.opens, self.zone)

    def close(self, day: date) -> datetime:
        return datetime.combine(day, self.closes, self.zone)


_NEW_YORK, _LONDON = ZoneInfo("America/New_York"), ZoneInfo("Europe/London")
_SESSIONS = {
    Hours.CURRENCIES: _Sessions(_NEW_YORK, time(17), time(17), opens_on_eve=True),
    Hours.METALS: _Sessions(_NEW_YORK, time(18), time(17), opens_on_eve=True),
    Hours.LME: _Sessions(_LONDON, time(1), time(19), opens_on_eve=False),
}


class TradingMoment(NamedTuple):
    """A moment of trade (UTC), also in seconds since 1970."""

    as_of: datetime
    seconds: float


@lru_cache(maxsize=64)
def last_trading_moment(hours: Hours, moment: datetime) -> TradingMoment:
    """Give the last moment of trade at or before `moment`: itself while the market is open, else when it closed.

    Errors: ValueError for a moment without its zone.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no zone")
    as_of = moment
    if hours is not Hours.ALWAYS:
        as_of = min(moment, _SESSIONS[hours].close(_session_day(hours, moment)))
    as_of = as_of.astimezone(UTC)
    return TradingMoment(as_of, as_of.timestamp())


def _session_day(hours: Hours, moment: datetime) -> date:
    """Give the day of the last session that has opened by `moment`."""
    sessions = _SESSIONS[hours]
    day = moment.astimezone(sessions.zone).date() + _DAY
    while not _has_session(hours, day) or sessions.open(day) > moment:
        day -= _DAY
    return day


def _has_session(hours: Hours, day: date) -> bool:
    return day.weekday() < _SATURDAY and day not in CLOSURES[hours]


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
    return last_trading_moment(hours, second).as_of == second


def trading_age(pair: Pair, as_of: datetime, now: datetime) -> timedelta:
    """Give for how long a price of `as_of` could have been traded anew; for what always trades, how old it is now.

    In closed hours nothing grows older: the last price of a Friday is as young on Sunday, and one that was old by then
    stays old. When the market opens it begins to age again, so that the first price of a week has its time to come.
    Never below zero.
    """
    hours = hours_of(pair)
    if hours is Hours.ALWAYS:  # left out of the cache, which is small and keyed by the moment
        return max(now - as_of, timedelta())
    traded = last_trading_moment(hours, now).as_of
    opened = _opened(hours, traded)
    if traded < now or as_of >= opened:
        return max(traded - as_of, timedelta())
    closed = last_trading_moment(hours, opened - _INSTANT).as_of
    return traded - opened + max(closed - as_of, timedelta())


@lru_cache(maxsize=64)
def _opened(hours: Hours, traded: datetime) -> datetime:
    """Give since when a market had been open at a moment of trade; the moment of a close is its session's last."""
    sessions, day = _SESSIONS[hours], _session_day(hours, traded)
    while _has_session(hours, day - _DAY) and sessions.close(day - _DAY) == sessions.open(day):
        day -= _DAY
    return sessions.open(day).astimezone(UTC)
