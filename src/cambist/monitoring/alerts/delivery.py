"""Deliver what has fired: each address gets its events in order, and one that fails is tried again for three days."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta

import msgspec

from cambist.accounts.account import Account
from cambist.accounts.alerts.alerts import AlertEvent, Alerts
from cambist.accounts.alerts.definition import Way
from cambist.accounts.alerts.messages import AlertMessage
from cambist.errors import CambistError
from cambist.monitoring.notifications.message import NotificationFailed, RecipientRefused

log = logging.getLogger(__name__)

GIVEN_UP_AFTER = timedelta(days=3)
_SHORTEST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=5), timedelta(hours=1)
_CLAIMED_FOR = timedelta(minutes=1)
"""Longer than sending takes: if the process ends meanwhile, another one sends the event again."""

_THREADS = 8
_AT_ONCE = 100

Send = Callable[[AlertEvent, Account], None]
"""Sends an event. Errors: NotificationFailed."""


class AlertDelivery:
    """Sends events that are due, several at once, but one at a time for each account."""

    def __init__(self, alerts: Alerts, accounts: Callable[[int], Account | None], ways: Mapping[Way, Send]) -> None:
        self._alerts = alerts
        self._account = accounts
        self._ways = ways
        self._threads = ThreadPoolExecutor(_THREADS, "alerts")
        self._sending: dict[int, Future[None]] = {}

    def send_due(self, now: datetime) -> None:
        """Begin to send what is due. Errors: StoreBroken."""
        for account, done in list(self._sending.items()):
            if done.done():
                del self._sending[account]
                if error := done.exception():
                    log.warning("Alerts: an event could not be recorded as sent, and is sent again: %s", error)
        for event in self._alerts.due(now, _AT_ONCE):
            if event.account in self._sending or len(self._sending) >= _THREADS:
                continue
            if self._alerts.claim(event, now + _CLAIMED_FOR):
                self._sending[event.account] = self._threads.submit(self._deliver, event, now)

    def wait(self) -> None:
        """Wait for what is being sent."""
        for done in self._sending.values():
            done.exception()

    def _deliver(self, event: AlertEvent, now: datetime) -> None:
        is_final, failure = False, ""
        try:
            self._send(event)
        except RecipientRefused as error:
            is_final, failure = True, str(error)
        except (NotificationFailed, CambistError) as error:
            failure = str(error)
        except Exception:
            failure = "It could not be sent"
            log.exception("Alerts: an event cannot be sent")
        if not failure:
            self._alerts.settle(event, delivered_at=now, due=None, failure="")
            return
        pause = min(_SHORTEST_PAUSE * 2 ** min(event.attempts, 20), _LONGEST_PAUSE)
        is_final = is_final or now + pause - event.at > GIVEN_UP_AFTER
        self._alerts.settle(event, delivered_at=None, due=None if is_final else now + pause, failure=failure)

    def _send(self, event: AlertEvent) -> None:
        account = self._account(event.account)
        if account is None:
            raise RecipientRefused("The account does not exist any more")
        send = self._ways.get(event.way)
        if send is None:
            raise NotificationFailed("This service sends no e-mail")
        send(event, account)


def text_of(event: AlertEvent) -> str:
    """Return what an event says as plain text."""
    message = msgspec.json.decode(event.body, type=AlertMessage)
    lines = [str(message.data["text"]), ""]
    lines += [f"{name}: {value}" for name, value in message.data.items() if name != "text"]
    return "\n".join([*lines, f"at: {message.timestamp.isoformat()}"])
