"""Alerts as they are kept: the alerts of accounts, and what has fired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from cambist.accounts.alerts.definition import AlertDefinition, Way
from cambist.accounts.alerts.evaluation import AlertState


class Alert(Struct, frozen=True, kw_only=True):
    """An alert of an account. `fired` counts how often it has fired; `ended_at` is set when it fires no more.

    `secret` signs what is sent to its webhook. Times are UTC.
    """

    number: int
    account: int
    definition: AlertDefinition
    secret: str
    created_at: datetime
    state: AlertState = AlertState()
    fired: int = 0
    ended_at: datetime | None = None


class AlertEvent(Struct, frozen=True, kw_only=True):
    """That an alert has fired, or was tried: `body` is the JSON that is delivered.

    `due` is when it is sent next, None when nothing is to be sent. `delivered_at` is when the receiver has taken it,
    and `failure` why it has not.
    """

    number: int
    alert: int
    account: int
    at: datetime
    way: Way
    address: str
    body: str
    attempts: int = 0
    due: datetime | None = None
    delivered_at: datetime | None = None
    failure: str = ""


class NewEvent(Struct, frozen=True):
    """What an alert says: the JSON to deliver, and when. A trial leaves the alert as it is."""

    body: str
    at: datetime


class Alerts(Protocol):
    """The alerts of all accounts. Several nodes may look at them at once: what fires is recorded by one of them."""

    def create(self, account: int, definition: AlertDefinition, secret: str, most: int) -> Alert:
        """Create an alert. Errors: NotInPlan if the account has `most` alerts that have not ended."""

    def of_account(self, account: int) -> Sequence[Alert]:
        """Return the alerts of an account, oldest first, without those that were removed."""

    def events_of(self, account: int, limit: int) -> Sequence[AlertEvent]:
        """Return the newest events of an account, newest first."""

    def events_after(self, number: int, limit: int, account: int | None = None) -> Sequence[AlertEvent]:
        """Return the events for the stream, of one account or of all, after the event of a number, oldest first."""

    def last_event(self) -> int:
        """Return the number of the newest event; 0 if there is none."""

    def remove(self, account: int, number: int) -> bool:
        """Remove an alert of an account, and what it would still send; return whether there was one."""

    def try_out(self, account: int, number: int, event: NewEvent) -> AlertEvent | None:
        """Record an event that an alert was tried; return None if the account has no such alert."""

    def active(self) -> Sequence[Alert]:
        """Return all alerts that may fire: not ended, of accounts that are neither deleted nor suspended."""

    def keep_states(self, states: Mapping[int, AlertState]) -> None:
        """Record what was seen by the numbers of the alerts."""

    def fire(self, alert: Alert, state: AlertState, event: NewEvent) -> bool:
        """Record that an alert fires; return False if another node has recorded that, or it was removed."""

    def due(self, now: datetime, limit: int) -> Sequence[AlertEvent]:
        """Return the first event that waits for each account and address, if it is due."""

    def claim(self, event: AlertEvent, until: datetime) -> bool:
        """Let this process alone send an event until a moment; return False if another does."""

    def secret_of(self, number: int) -> str:
        """Return the secret that signs what an alert sends; empty if there is none."""

    def forget(self, before: datetime) -> None:
        """Forget events from before a moment that are not sent any more."""

    def settle(self, event: AlertEvent, *, delivered_at: datetime | None, due: datetime | None, failure: str) -> None:
        """Record how sending an event ended: `due` is when it is sent again, None if it is not."""
