"""Alerts and their events as clients get them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from msgspec import UNSET, Struct, UnsetType

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.alerts.alerts import Alert, AlertEvent
from cambist.accounts.alerts.definition import Way, When
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import written


class AlertRecord(Struct, frozen=True, kw_only=True, rename={"base": "from", "quote": "to", "day": "date"}):
    """An alert. `fired` counts how often it has fired; one that fires no more has `ended_at`."""

    id: int
    when: When
    base: str | UnsetType = UNSET
    quote: str | UnsetType = UNSET
    level: Number | UnsetType = UNSET
    low: Number | UnsetType = UNSET
    high: Number | UnsetType = UNSET
    change: str | UnsetType = UNSET
    within: timedelta | UnsetType = UNSET
    source: str | UnsetType = UNSET
    day: date | UnsetType = UNSET
    deliver: Way
    address: str | UnsetType = UNSET
    repeat: bool
    note: str | UnsetType = UNSET
    created_at: str | int
    fired: int
    ended_at: str | int | UnsetType = UNSET


class AlertEventRecord(Struct, frozen=True, kw_only=True):
    """That an alert fired or was tried, and how its delivery went: `attempts` so far, and the last `failure`.

    `delivered_at` is when the receiver had taken it; `next_attempt` when it is sent again.
    """

    id: int
    alert: int
    at: str | int
    text: str
    test: bool
    deliver: Way
    attempts: int
    delivered_at: str | int | UnsetType = UNSET
    next_attempt: str | int | UnsetType = UNSET
    failure: str | UnsetType = UNSET


def alert_record(alert: Alert, form: DatetimeFormat) -> AlertRecord:
    """Return an alert as clients get it."""
    asked = alert.definition
    numbers = {name: getattr(asked, name) for name in ("level", "low", "high")}
    return AlertRecord(
        id=alert.number,
        when=asked.when,
        base=asked.base or UNSET,
        quote=asked.quote or UNSET,
        **{name: number(value) for name, value in numbers.items() if value is not None},
        change=asked.change or UNSET,
        within=asked.within or UNSET,
        source=asked.source or UNSET,
        day=asked.day or UNSET,
        deliver=asked.deliver,
        address=asked.address or UNSET,
        repeat=asked.repeat,
        note=asked.note or UNSET,
        created_at=written(alert.created_at, form),
        fired=alert.fired,
        ended_at=_moment(alert.ended_at, form),
    )


def event_record(event: AlertEvent, text: str, form: DatetimeFormat, *, is_trial: bool) -> AlertEventRecord:
    """Return an event as clients get it."""
    return AlertEventRecord(
        id=event.number,
        alert=event.alert,
        at=written(event.at, form),
        text=text,
        test=is_trial,
        deliver=event.way,
        attempts=event.attempts,
        delivered_at=_moment(event.delivered_at, form),
        next_attempt=_moment(event.due, form),
        failure=event.failure or UNSET,
    )


def _moment(moment: datetime | None, form: DatetimeFormat) -> str | int | UnsetType:
    return UNSET if moment is None else written(moment, form)
