"""Alerts and their events in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, select, update

from cambist.accounts.alerts.alerts import Alert, AlertEvent, NewEvent
from cambist.accounts.alerts.definition import AlertDefinition, Way
from cambist.accounts.alerts.evaluation import AlertState
from cambist.errors import NotInPlan
from cambist.storage.sql.backends import WriteLock, writing
from cambist.storage.sql.schema import accounts, alert_events, alerts
from cambist.storage.sql.selects import to_stored


class SqlAlerts:
    """The `Alerts` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, account: int, definition: AlertDefinition, secret: str, most: int) -> Alert:
        """Create an alert. Errors: NotInPlan."""
        row = {
            "account_id": account,
            "definition": _text(definition),
            "secret": secret,
            "state": _text(AlertState()),
            "created_at": to_stored(datetime.now(UTC)),
        }
        theirs = (alerts.c.account_id == account) & alerts.c.ended_at.is_(None) & alerts.c.removed_at.is_(None)
        with writing(self._engine, WriteLock.ALERTS) as connection:
            if connection.execute(select(func.count()).where(theirs)).scalar_one() >= most:
                raise NotInPlan(f"The plan allows [{most}] alerts at once: remove one first")
            return _alert(connection.execute(insert(alerts).values(row).returning(alerts)).one())

    def of_account(self, account: int) -> Sequence[Alert]:
        """Return the alerts of an account, oldest first."""
        query = select(alerts).where(alerts.c.account_id == account, alerts.c.removed_at.is_(None))
        with self._engine.connect() as connection:
            return [_alert(row) for row in connection.execute(query.order_by(alerts.c.id))]

    def events_of(self, account: int, limit: int) -> Sequence[AlertEvent]:
        """Return the newest events of an account, newest first."""
        query = select(alert_events).where(alert_events.c.account_id == account)
        return self._events(query.order_by(alert_events.c.id.desc()).limit(limit))

    def events_after(self, number: int, limit: int, account: int | None = None) -> Sequence[AlertEvent]:
        """Return the events for the stream after one, oldest first."""
        query = select(alert_events).where(alert_events.c.id > number, alert_events.c.way == Way.STREAM)
        if account is not None:
            query = query.where(alert_events.c.account_id == account)
        return self._events(query.order_by(alert_events.c.id).limit(limit))

    def last_event(self) -> int:
        """Return the number of the newest event."""
        with self._engine.connect() as connection:
            return connection.execute(select(func.max(alert_events.c.id))).scalar() or 0

    def remove(self, account: int, number: int) -> bool:
        """Remove an alert of an account, and what it would still send."""
        now = to_stored(datetime.now(UTC))
        with writing(self._engine, WriteLock.ALERTS) as connection:
            removed = connection.execute(
                update(alerts).where(_is_theirs(account, number)).values(removed_at=now, secret="")
            )
            waiting = (alert_events.c.alert_id == number) & alert_events.c.due.is_not(None)
            if removed.rowcount:
                values = {"due": None, "failure": "The alert was removed"}
                connection.execute(update(alert_events).where(waiting).values(values))
        return bool(removed.rowcount)

    def try_out(self, account: int, number: int, event: NewEvent) -> AlertEvent | None:
        """Record an event that an alert was tried."""
        with writing(self._engine, WriteLock.ALERTS) as connection:
            row = connection.execute(select(alerts).where(_is_theirs(account, number))).one_or_none()
            return None if row is None else _add_event(connection, _alert(row), event)

    def active(self) -> Sequence[Alert]:
        """Return all alerts that may fire."""
        query = select(alerts).join(accounts, accounts.c.id == alerts.c.account_id)
        query = query.where(alerts.c.ended_at.is_(None), alerts.c.removed_at.is_(None))
        query = query.where(accounts.c.deleted_at.is_(None), accounts.c.suspended.is_(False))
        with self._engine.connect() as connection:
            return [_alert(row) for row in connection.execute(query.order_by(alerts.c.id))]

    def keep_states(self, states: Mapping[int, AlertState]) -> None:
        """Record what was seen."""
        with writing(self._engine, WriteLock.ALERTS) as connection:
            for number, state in states.items():
                connection.execute(update(alerts).where(alerts.c.id == number).values(state=_text(state)))

    def fire(self, alert: Alert, state: AlertState, event: NewEvent) -> bool:
        """Record that an alert fires."""
        ended_at = None if alert.definition.repeat else to_stored(event.at)
        values = {"fired": alert.fired + 1, "state": _text(state), "ended_at": ended_at}
        same = (alerts.c.id == alert.number) & (alerts.c.fired == alert.fired)
        still = same & alerts.c.ended_at.is_(None) & alerts.c.removed_at.is_(None)
        with writing(self._engine, WriteLock.ALERTS) as connection:
            if not connection.execute(update(alerts).where(still).values(values)).rowcount:
                return False
            _add_event(connection, alert, event)
        return True

    def due(self, now: datetime, limit: int) -> Sequence[AlertEvent]:
        """Return the first event that waits for each account and address, if it is due."""
        place = (alert_events.c.account_id, alert_events.c.way, alert_events.c.address)
        first = select(func.min(alert_events.c.id)).where(alert_events.c.due.is_not(None)).group_by(*place)
        query = select(alert_events).where(alert_events.c.id.in_(first), alert_events.c.due <= to_stored(now))
        return self._events(query.order_by(alert_events.c.due, alert_events.c.id).limit(limit))

    def claim(self, event: AlertEvent, until: datetime) -> bool:
        """Let this process alone send an event until a moment."""
        same = (alert_events.c.id == event.number) & (alert_events.c.attempts == event.attempts)
        values = {"attempts": event.attempts + 1, "due": to_stored(until)}
        with writing(self._engine, WriteLock.ALERTS) as connection:
            return bool(
                connection.execute(
                    update(alert_events).where(same, alert_events.c.due.is_not(None)).values(values)
                ).rowcount
            )

    def secret_of(self, number: int) -> str:
        """Return the secret that signs what an alert sends."""
        with self._engine.connect() as connection:
            return connection.execute(select(alerts.c.secret).where(alerts.c.id == number)).scalar() or ""

    def forget(self, before: datetime) -> None:
        """Forget old events."""
        is_old = (alert_events.c.at < to_stored(before)) & alert_events.c.due.is_(None)
        with writing(self._engine, WriteLock.ALERTS) as connection:
            connection.execute(delete(alert_events).where(is_old))

    def settle(self, event: AlertEvent, *, delivered_at: datetime | None, due: datetime | None, failure: str) -> None:
        """Record how sending an event ended."""
        values = {"delivered_at": _stored(delivered_at), "due": _stored(due), "failure": failure}
        with writing(self._engine, WriteLock.ALERTS) as connection:
            connection.execute(update(alert_events).where(alert_events.c.id == event.number).values(values))

    def _events(self, query: Select[Any]) -> Sequence[AlertEvent]:
        with self._engine.connect() as connection:
            return [_event(row) for row in connection.execute(query)]


def _is_theirs(account: int, number: int) -> Any:
    return (alerts.c.id == number) & (alerts.c.account_id == account) & alerts.c.removed_at.is_(None)


def _add_event(connection: Connection, alert: Alert, event: NewEvent) -> AlertEvent:
    way, at = alert.definition.deliver, to_stored(event.at)
    is_sent = way is not Way.STREAM
    row = {
        "alert_id": alert.number,
        "account_id": alert.account,
        "at": at,
        "way": way.value,
        "address": alert.definition.address,
        "body": event.body,
        "due": at if is_sent else None,
        "delivered_at": None if is_sent else at,
    }
    return _event(connection.execute(insert(alert_events).values(row).returning(alert_events)).one())


def _alert(row: Row[Any]) -> Alert:
    return Alert(
        number=row.id,
        account=row.account_id,
        definition=msgspec.json.decode(row.definition, type=AlertDefinition),
        secret=row.secret,
        created_at=row.created_at.replace(tzinfo=UTC),
        state=msgspec.json.decode(row.state, type=AlertState),
        fired=row.fired,
        ended_at=_moment(row.ended_at),
    )


def _event(row: Row[Any]) -> AlertEvent:
    return AlertEvent(
        number=row.id,
        alert=row.alert_id,
        account=row.account_id,
        at=row.at.replace(tzinfo=UTC),
        way=Way(row.way),
        address=row.address,
        body=row.body,
        attempts=row.attempts,
        due=_moment(row.due),
        delivered_at=_moment(row.delivered_at),
        failure=row.failure,
    )


def _text(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


def _stored(moment: datetime | None) -> datetime | None:
    return None if moment is None else to_stored(moment)
