"""Whether an alert fires: a function of its definition, of what was last seen, and of what is seen now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct, structs

from cambist.accounts.alerts.definition import AlertDefinition, When
from cambist.accounts.quota import Period

QUIET = timedelta(minutes=1)
"""An alert that repeats fires at most once in this time: a rate may cross its level many times in a second."""

_SAMPLE_SECONDS = 5
_SAMPLES = 60
"""How many rates are kept of the time in which a move is looked for."""


class AlertState(Struct, frozen=True, omit_defaults=True):
    """What was last seen: whether the condition was met, rates with their times in seconds, and a place.

    The place is the last day that a source has published, the position in the feed of corrections, or the first day of
    the period of a quota.
    """

    is_met: bool = False
    fired_at: datetime | None = None
    samples: tuple[tuple[int, float], ...] = ()
    place: str = ""


class Firing(NamedTuple):
    """That an alert fires: a sentence, and what was seen, as JSON has it."""

    text: str
    seen: dict[str, object]


class Outcome(NamedTuple):
    """What is kept after a look, and the firing if there is one."""

    state: AlertState
    firing: Firing | None = None


def look_at_rate(
    definition: AlertDefinition, state: AlertState, rate: float, as_of: datetime, now: datetime
) -> Outcome:
    """Return what follows from the rate of now. `as_of` is its market time."""
    if definition.when is When.MOVES:
        return _look_for_move(definition, state, rate, as_of, now)
    exact = Decimal(repr(rate))
    is_met, sentence = _crossing(definition, exact)
    if not is_met:
        return Outcome(structs.replace(state, is_met=False))
    if state.is_met or _is_quiet(state, now):
        return Outcome(state)
    pair = f"{definition.base}/{definition.quote}"
    firing = Firing(f"{pair} is {exact}, {sentence}", {"rate": rate, "updated": as_of})
    return Outcome(structs.replace(state, is_met=True, fired_at=now), firing)


def look_at_publisher(definition: AlertDefinition, state: AlertState, newest: date | None, now: datetime) -> Outcome:
    """Return what follows from the newest day that a source has published; what it has at first is not new."""
    if newest is None or newest.isoformat() <= state.place:
        return Outcome(state)
    seen = structs.replace(state, place=newest.isoformat())
    if not state.place:
        return Outcome(seen)
    firing = Firing(f"{definition.source} has published {newest}", {"source": definition.source, "date": newest})
    return Outcome(structs.replace(seen, fired_at=now), firing)


def look_at_corrections(
    definition: AlertDefinition, state: AlertState, days: Sequence[date], place: str, now: datetime
) -> Outcome:
    """Return what follows from the corrected days of the pair since the last look, which came as far as `place`."""
    seen = structs.replace(state, place=place)
    wanted = sorted({day for day in days if definition.day in (None, day)})
    if not wanted:
        return Outcome(seen)
    shown = f"{wanted[0]}" if len(wanted) == 1 else f"{len(wanted)} days from {wanted[0]} to {wanted[-1]}"
    text = f"{definition.base}/{definition.quote} was corrected: {shown}"
    return Outcome(structs.replace(seen, fired_at=now), Firing(text, {"dates": wanted[:_SAMPLES]}))


def look_at_quota(
    definition: AlertDefinition, state: AlertState, used: int, quota: int, period: Period, now: datetime
) -> Outcome:
    """Return what follows from the calls that an account has used; it fires once in a period."""
    place = period.start.isoformat()
    if used * 100 < quota * definition.percent or state.place == place:
        return Outcome(state)
    text = f"{definition.percent.normalize():f} % of the quota of {quota} calls are used; it ends on {period.end}"
    seen: dict[str, object] = {"used": used, "quota": quota, "until": period.end}
    return Outcome(structs.replace(state, place=place, fired_at=now), Firing(text, seen))


def _crossing(definition: AlertDefinition, rate: Decimal) -> tuple[bool, str]:
    level, low, high = definition.level or Decimal(), definition.low or Decimal(), definition.high or Decimal()
    if definition.when is When.ABOVE:
        return rate > level, f"above {level}"
    if definition.when is When.BELOW:
        return rate < level, f"below {level}"
    return not low <= rate <= high, f"outside {low} to {high}"


def _look_for_move(
    definition: AlertDefinition, state: AlertState, rate: float, as_of: datetime, now: datetime
) -> Outcome:
    within = definition.within or QUIET
    at, span = int(now.timestamp()), within.total_seconds()
    kept = tuple(each for each in state.samples if 0 <= at - each[0] <= span)
    limit = float(definition.percent) / 100
    moved = [each for each in kept if abs(rate / each[1] - 1) >= limit]
    if moved and not _is_quiet(state, now):
        began, first = moved[0]
        percent = round((rate / first - 1) * 100, 4)
        pair = f"{definition.base}/{definition.quote}"
        text = f"{pair} moved by {percent:+g} % in {_span(at - began)}, from {first!r} to {rate!r}"
        seen: dict[str, object] = {"rate": rate, "updated": as_of, "before": first, "change_percent": percent}
        return Outcome(structs.replace(state, samples=((at, rate),), fired_at=now), Firing(text, seen))
    if not kept or at - kept[-1][0] >= max(_SAMPLE_SECONDS, span / _SAMPLES):
        kept = (*kept, (at, rate))
    return Outcome(structs.replace(state, samples=kept))


def _is_quiet(state: AlertState, now: datetime) -> bool:
    return state.fired_at is not None and timedelta() <= now - state.fired_at < QUIET


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
