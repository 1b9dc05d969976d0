"""What an alert says, as the JSON that every way delivers."""

from __future__ import annotations

from datetime import datetime

import msgspec
from msgspec import Struct

from cambist.accounts.alerts.alerts import Alert, NewEvent
from cambist.accounts.alerts.evaluation import Firing

FIRED, TRIAL = "alert.fired", "alert.test"


class AlertMessage(Struct, frozen=True):
    """A message in the form of Standard Webhooks: its type, its time, and what it is about."""

    type: str
    timestamp: datetime
    data: dict[str, object]


def fired(alert: Alert, firing: Firing, at: datetime, environment: str) -> NewEvent:
    """Return the event that an alert fires; `environment` is empty for live prices."""
    return _event(alert, FIRED, {"text": firing.text, **firing.seen}, at, environment)


def trial(alert_number: int, at: datetime, environment: str) -> NewEvent:
    """Return the event that an alert is tried."""
    data: dict[str, object] = {"alert": alert_number, "text": "This is a test of an alert"}
    return _written(TRIAL, data, at, environment)


def _event(alert: Alert, kind: str, seen: dict[str, object], at: datetime, environment: str) -> NewEvent:
    definition = alert.definition
    named = {"from": definition.base, "to": definition.quote, "note": definition.note}
    about = {name: value for name, value in named.items() if value}
    return _written(kind, {"alert": alert.number, "when": definition.when, **about, **seen}, at, environment)


def _written(kind: str, data: dict[str, object], at: datetime, environment: str) -> NewEvent:
    if environment:
        data = {**data, "environment": environment}
    return NewEvent(msgspec.json.encode(AlertMessage(kind, at, data)).decode(), at)
