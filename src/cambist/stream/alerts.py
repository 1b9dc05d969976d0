"""The stream of alerts: what fires for an account is sent to its connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from cambist.accounts.alerts.alerts import AlertEvent, Alerts
from cambist.accounts.principal import Principal
from cambist.stream.messages import Op, text_frame
from cambist.stream.subscription import StreamConnection

ALERTS = "alerts"
"""The name of the stream."""

_EVENTS_AT_ONCE = 500
_CAUGHT_UP_AT_ONCE = 10
"""How many connections are sent in one turn what they have missed: each takes a query."""


class AlertFeed:
    """The connections that have subscribed to the alerts of their account."""

    group = "admin"
    is_personal = True

    def __init__(self, alerts: Alerts) -> None:
        self._alerts = alerts
        self._accounts: dict[StreamConnection, int] = {}
        self._behind: dict[StreamConnection, int] = {}
        self._since: int | None = None

    @property
    def since(self) -> int | str:
        """The event whose successors a new subscriber gets; empty before the first look."""
        return "" if self._since is None else self._since

    def subscribe(self, connection: StreamConnection, principal: Principal, since: int | None) -> None:
        """Send a connection the alerts of its account from now on, or behind an event that it had."""
        self._accounts[connection] = principal.account.number
        if since is not None and (self._since is None or since < self._since):
            self._behind[connection] = since

    def unsubscribe(self, connection: StreamConnection) -> None:
        """Send a connection no more alerts; do nothing if it gets none."""
        self._accounts.pop(connection, None)
        self._behind.pop(connection, None)

    async def advance(self) -> None:
        """Send what has fired. Errors: StoreBroken; the next call sends the rest."""
        if self._since is None or not self._accounts:
            last = await asyncio.to_thread(self._alerts.last_event)
            if self._since is None or not self._accounts:  # whoever subscribed meanwhile is sent what is after `since`
                self._since = last
            return
        await self._catch_up(self._since)
        found = await asyncio.to_thread(self._alerts.events_after, self._since, _EVENTS_AT_ONCE)
        for event in found:
            self._send(event, [each for each, account in self._accounts.items() if account == event.account])
            self._since = event.number

    async def _catch_up(self, until: int) -> None:
        for connection, since in list(self._behind.items())[:_CAUGHT_UP_AT_ONCE]:
            account = self._accounts[connection]
            found = await asyncio.to_thread(self._alerts.events_after, since, _EVENTS_AT_ONCE, account)
            if self._behind.get(connection) != since:
                continue  # it has gone, or subscribed again
            missed = [event for event in found if event.number <= until]
            for event in missed:
                self._send(event, [connection])
            if len(found) < _EVENTS_AT_ONCE or len(missed) < len(found):
                del self._behind[connection]
            else:
                self._behind[connection] = missed[-1].number

    def _send(self, event: AlertEvent, connections: Iterable[StreamConnection]) -> None:
        start = msgspec.json.encode({"op": Op.ALERT, "id": event.number})[:-1]
        frame = text_frame(b"%b,%b" % (start, event.body.encode()[1:]))
        for connection in connections:
            connection.send(frame)
