"""Trading hours: when a market is open, in New York time, and in London time for base metals.

A market has a session on each weekday that is not one of its closures. While it is closed, its prices do not age.
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
from cambist.reference.currency_tables import CURRENCIES

_INSTANT = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_SATURDAY = 5


class Hours(StrEnum):
    """The trading hours of a market, except for its closures.

    Currencies trade from Sunday 17:00 to Friday 17:00 in New York; precious metals too, with a break of one hour from
    17:00 each day. The base metals of the London Metal Exchange trade Monday to Friday from 01:00 to 19:00 in London.
    """

    CURRENCIES = "currencies"
    METALS = "metals"
    LME = "lme"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class _Sessions:
    """The times at which a day's session opens and closes. It may open on the evening before."""

    zone: ZoneInfo
    opens: time
    closes: time
    opens_evening_before: bool

    def open(self, day: date) -> datetime:
        return datetime.combine(day - _DAY if self.opens_evening_before else day, self.opens, self.zone)

    def close(self, day: date) -> datetime:
        return datetime.combine(day, self.closes, self.zone)


_NEW_YORK, _LONDON = ZoneInfo("America/New_York"), ZoneInfo("Europe/London")
_SESSIONS = {
    Hours.CURRENCIES: _Sessions(_NEW_YORK, time(17), time(17), opens_evening_before=True),
    Hours.METALS: _Sessions(_NEW_YORK, time(18), time(17), opens_evening_before=True),
    Hours.LME: _Sessions(_LONDON, time(1), time(19), opens_evening_before=False),
}


class TradingMoment(NamedTuple):
    """A moment at which a market was open (UTC), also in seconds since 1970."""

    as_of: datetime
    seconds: float


@lru_cache(maxsize=64)
def last_trading_moment(hours: Hours, moment: datetime) -> TradingMoment:
    """Return `moment` if the market is open then, else the moment at which it closed last.

    Errors: ValueError for a moment without a time zone.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    as_of = moment
    if hours is not Hours.ALWAYS:
        as_of = min(moment, _SESSIONS[hours].close(_session_day(hours, moment)))
    as_of = as_of.astimezone(UTC)
    return TradingMoment(as_of, as_of.timestamp())


def _session_day(hours: Hours, moment: datetime) -> date:
    """Return the day of the last session that had opened by `moment`."""
    sessions = _SESSIONS[hours]
    day = moment.astimezone(sessions.zone).date() + _DAY
    while not _has_session(hours, day) or sessions.open(day) > moment:
        day -= _DAY
    return day


def _has_session(hours: Hours, day: date) -> bool:
    return day.weekday() < _SATURDAY and day not in CLOSURES[hours]


@lru_cache(maxsize=16_384)
def hours_of(pair: Pair) -> Hours:
    """Return the trading hours of a pair: of its coin (always open), else of its metal, else of currencies.

    A base metal's hours lie within a precious metal's, so a pair of both has the hours of the base metal.
    """
    sides = {pair.base.removesuffix(FORWARD), pair.quote.removesuffix(FORWARD)}
    if not sides <= CURRENCIES.keys() | METALS.keys():
        return Hours.ALWAYS
    kinds = {METALS[code].kind for code in sides & METALS.keys()}
    if MetalKind.BASE in kinds:
        return Hours.LME
    return Hours.METALS if kinds else Hours.CURRENCIES


def is_open(pair: Pair, moment: datetime) -> bool:
    """Return whether the market of a pair is open."""
    hours = hours_of(pair)
    return hours is Hours.ALWAYS or _is_open_in(hours, moment.replace(microsecond=0))


@lru_cache(maxsize=16)
def _is_open_in(hours: Hours, second: datetime) -> bool:
    return last_trading_moment(hours, second).as_of == second


def trading_age(pair: Pair, as_of: datetime, now: datetime) -> timedelta:
    """Return the age of a price, counting only the time during which its market was open. It is never negative.

    The last price of a Friday has the same age on Sunday. When the market opens the age starts to grow again, so that
    the first price of the week has time to arrive.
    """
    hours = hours_of(pair)
    if hours is Hours.ALWAYS:  # not cached: the cache is small, and its key is the moment
        return max(now - as_of, timedelta())
    open_since = _open_since(hours, now.replace(microsecond=0))
    if open_since is not None and as_of >= open_since:
        return max(now - as_of, timedelta())
    traded = last_trading_moment(hours, now).as_of
    opened = _opened(hours, traded)
    if traded < now or as_of >= opened:
        return max(traded - as_of, timedelta())
    closed = last_trading_moment(hours, opened - _INSTANT).as_of
    return traded - opened + max(closed - as_of, timedelta())


@lru_cache(maxsize=64)
def _open_since(hours: Hours, second: datetime) -> datetime | None:
    """Return since when the market had been open at a full second; None if it is closed then, or a second later."""
    if last_trading_moment(hours, second + _SECOND).as_of != second + _SECOND or not _is_open_in(hours, second):
        return None
    return _opened(hours, second)


@lru_cache(maxsize=64)
def _opened(hours: Hours, traded: datetime) -> datetime:
    """Return since when the market had been open at that moment. The moment of the close belongs to the session."""
    sessions, day = _SESSIONS[hours], _session_day(hours, traded)
    while _has_session(hours, day - _DAY) and sessions.close(day - _DAY) == sessions.open(day):
        day -= _DAY
    return sessions.open(day).astimezone(UTC)
