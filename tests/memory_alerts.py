"""Alerts in memory, for tests of the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from cambist.accounts.alerts.alerts import Alert, AlertEvent, NewEvent
from cambist.accounts.alerts.definition import AlertDefinition
from cambist.errors import NotInPlan

CREATED = datetime(2026, 11, 20, 12, tzinfo=UTC)


class MemoryAlerts:
    """The part of `Alerts` that a worker uses."""

    def __init__(self) -> None:
        self.kept: list[Alert] = []
        self.events: list[AlertEvent] = []
        self.numbers = 0

    def create(self, account: int, definition: AlertDefinition, secret: str, most: int) -> Alert:
        if sum(each.account == account for each in self.kept) >= most:
            raise NotInPlan(f"The plan allows [{most}] alerts at once: remove one first")
        self.numbers += 1
        alert = Alert(number=self.numbers, account=account, definition=definition, secret=secret, created_at=CREATED)
        self.kept.append(alert)
        return alert

    def of_account(self, account: int) -> Sequence[Alert]:
        return [each for each in self.kept if each.account == account]

    def events_of(self, account: int, limit: int) -> Sequence[AlertEvent]:
        return [each for each in self.events[::-1] if each.account == account][:limit]

    def remove(self, account: int, number: int) -> bool:
        before = len(self.kept)
        self.kept = [each for each in self.kept if (each.account, each.number) != (account, number)]
        return len(self.kept) < before

    def try_out(self, account: int, number: int, event: NewEvent) -> AlertEvent | None:
        found = next((each for each in self.kept if (each.account, each.number) == (account, number)), None)
        if found is None:
            return None
        asked = found.definition
        added = AlertEvent(
            number=len(self.events) + 1, alert=number, account=account, at=event.at, way=asked.deliver,
            address=asked.address, body=event.body, due=event.at,
        )  # fmt: skip
        self.events.append(added)
        return added
