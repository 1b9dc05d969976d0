"""Messages on their way: each way has its own queue, and is tried again ever less often."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from cambist.monitoring.notifications.message import Message, NotificationFailed, RecipientRefused
from cambist.monitoring.notifications.ways import ACCOUNT_EMAIL, Send

log = logging.getLogger(__name__)

_SHORTEST_PAUSE, _LONGEST_PAUSE = 10.0, 600.0
_MOST, _MOST_FOR_ACCOUNTS = 100, 1000
"""Messages that wait for one way, to the operator or to owners of accounts; beyond that the oldest are given up."""


@dataclass(slots=True)
class _Failures:
    count: int = 0
    due: float = 0.0


class Outbox:
    """Sends messages by each way in order. `waiting` has what each way has not taken yet."""

    def __init__(self, ways: Mapping[str, Send], waiting: Mapping[str, tuple[Message, ...]]) -> None:
        self._ways = ways
        self._failures = {name: _Failures() for name in ways}
        self.waiting = {name: waiting.get(name, ()) for name in ways}

    def add(self, message: Message) -> None:
        """Let a message be sent by each way to whom it is for: the operator, or the owner of an account."""
        for name, messages in self.waiting.items():
            if (name == ACCOUNT_EMAIL) == bool(message.to):
                most = _MOST_FOR_ACCOUNTS if message.to else _MOST
                self.waiting[name] = (*messages, message)[-most:]

    def send(self, now: float) -> bool:
        """Send by each way the first message that waits, if the way is due; return whether any was sent."""
        sent = [self._send(name, now) for name in self._ways if self.waiting[name] and self._failures[name].due <= now]
        return any(sent)

    def _send(self, name: str, now: float) -> bool:
        failures = self._failures[name]
        try:
            self._ways[name](self.waiting[name][0])
        except RecipientRefused as error:
            # It is refused again each time, and messages to others wait behind it.
            subject = self.waiting[name][0].subject
            log.warning("Alarms: %s; the message is given up: %s", error, subject)
        except NotificationFailed as error:
            failures.count += 1
            failures.due = now + min(_SHORTEST_PAUSE * 2 ** (failures.count - 1), _LONGEST_PAUSE)
            if failures.count == 1:
                log.warning("Alarms: %s; it is tried again", error)
            return False
        except Exception:
            failures.count += 1
            failures.due = now + _LONGEST_PAUSE
            log.exception("Alarms: a message cannot be sent by %s", name)
            return False
        if failures.count:
            log.info("Alarms: messages are sent by %s again", name)
        self._failures[name] = _Failures()
        self.waiting[name] = self.waiting[name][1:]
        return True
