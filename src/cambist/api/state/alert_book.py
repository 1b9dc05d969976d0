"""The alerts of accounts, as a worker reads and changes them in threads that may wait for the database."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_bytes

from cambist.accounts.alerts.alerts import Alert, AlertEvent, Alerts, NewEvent
from cambist.accounts.alerts.definition import AlertDefinition, Way
from cambist.api.state.reader_pool import ReaderPool

_SECRET_BYTES = 32


@dataclass(frozen=True)
class AlertBook:
    """The alerts in a database. `environment` is empty for live prices, `has_mail` whether a mail server is set.

    `allows_private` is whether webhooks may be in private networks. Each method may raise StoreBusy.
    """

    alerts: Alerts
    pool: ReaderPool
    environment: str = ""
    has_mail: bool = False
    allows_private: bool = False

    def add(self, account: int, definition: AlertDefinition, most: int) -> Alert:
        """Create an alert; one with a webhook gets a secret, as Standard Webhooks has it. Errors: NotInPlan."""
        is_signed = definition.deliver is Way.WEBHOOK
        secret = f"whsec_{b64encode(token_bytes(_SECRET_BYTES)).decode()}" if is_signed else ""
        return self.pool.call(self.alerts.create, account, definition, secret, most)

    def of_account(self, account: int, events: int) -> tuple[Sequence[Alert], Sequence[AlertEvent]]:
        """Return the alerts of an account, oldest first, and its newest events, newest first."""
        return self.pool.call(lambda: (self.alerts.of_account(account), self.alerts.events_of(account, events)))

    def remove(self, account: int, number: int) -> bool:
        """Remove an alert; return whether the account had it."""
        return self.pool.call(self.alerts.remove, account, number)

    def try_out(self, account: int, number: int, event: NewEvent) -> AlertEvent | None:
        """Let an alert be delivered as a trial; return None if the account has no such alert."""
        return self.pool.call(self.alerts.try_out, account, number, event)
