"""The calls about what the account is told of: `/alerts`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

import msgspec
from msgspec import Struct

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import JSON, Amount, Call, Day, write_day, write_value

T = TypeVar("T", bound=Answer)


class AlertRecord(Struct, frozen=True, kw_only=True, rename={"base": "from", "quote": "to", "day": "date"}):
    """An alert, with what its condition needs. `fired` counts how often it has; one that fires no more has ended."""

    id: int
    when: str
    base: str = ""
    quote: str = ""
    level: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    change: str = ""
    within: dt.timedelta | None = None
    source: str = ""
    day: dt.date | None = None
    deliver: str
    address: str = ""
    repeat: bool
    note: str = ""
    created_at: Timestamp
    fired: int
    ended_at: Timestamp | None = None


class AlertEventRecord(Struct, frozen=True, kw_only=True):
    """That an alert fired or was tried, and how often it was sent; `failure` is why it has not arrived yet."""

    id: int
    alert: int
    at: Timestamp
    text: str
    test: bool
    deliver: str
    attempts: int
    delivered_at: Timestamp | None = None
    next_attempt: Timestamp | None = None
    failure: str = ""


class AlertsResponse(Answer, frozen=True, kw_only=True):
    """The alerts of the account, oldest first, and the newest 50 events, newest first."""

    alerts: list[AlertRecord]
    events: list[AlertEventRecord]


class AddAlertResponse(Answer, frozen=True, kw_only=True):
    """The alert; with a webhook also the `secret` that signs what is sent, which is shown only here."""

    alert: AlertRecord
    secret: str = ""


class RemoveAlertResponse(Answer, frozen=True, kw_only=True):
    """The alert that was removed."""

    removed: int


class TestAlertResponse(Answer, frozen=True, kw_only=True):
    """The event of a trial, whose delivery `alerts` shows."""

    event: int


def alerts() -> Call[AlertsResponse]:
    """Return what the account is told of, and how the delivery of what has fired went."""
    return Call("/alerts", AlertsResponse, {})


def alerts_add(  # noqa: PLR0913  the parts of a question
    when: str,
    from_: str | None = None,
    to: str | None = None,
    *,
    deliver: str,
    address: str | None = None,
    level: Amount | None = None,
    low: Amount | None = None,
    high: Amount | None = None,
    change: str | None = None,
    within: dt.timedelta | str | None = None,
    source: str | None = None,
    date: Day = None,
    repeat: bool = False,
    note: str | None = None,
) -> Call[AddAlertResponse]:
    """Ask to be told when a rate is `above` or `below` a level, `outside` a band or `moves` by a percentage.

    Or when a source has `published`, a day was `corrected`, or so much of the `quota` is used. `deliver` is a webhook,
    with its address, email, or stream.
    """
    numbers = {"level": level, "low": low, "high": high}
    question = {
        "when": when,
        "from": from_,
        "to": to,
        **{name: None if value is None else write_value(value) for name, value in numbers.items()},
        "change": change,
        "within": None if within is None else write_value(within),
        "source": source,
        "date": write_day(date),
        "deliver": deliver,
        "address": address,
        "repeat": repeat,
        "note": note,
    }
    return _posted("/alerts/add", AddAlertResponse, question)


def alerts_remove(number: int) -> Call[RemoveAlertResponse]:
    """Remove an alert, with all that it would still send."""
    return _posted("/alerts/remove", RemoveAlertResponse, {"id": number})


def alerts_test(number: int) -> Call[TestAlertResponse]:
    """Deliver a message that says that it is a test, by the way of an alert."""
    return _posted("/alerts/test", TestAlertResponse, {"id": number})


def _posted(path: str, answer: type[T], question: Mapping[str, object]) -> Call[T]:
    given = {name: value for name, value in question.items() if value is not None}
    return Call(path, answer, {}, body=msgspec.json.encode(given), media=JSON)
