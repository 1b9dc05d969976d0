"""The message about alarms: as a text, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from cambist.status.alarm import ENDED, Notice

_MOST_LINES = 50


class NotificationFailed(Exception):
    """A message cannot be sent in one of the ways that are set. The text has no secret."""


class RecipientRefused(NotificationFailed):
    """The mail server refuses the address of an account's owner for good."""


class Message(Struct, frozen=True):
    """What is sent: the service and node that it is about, a text, and the alarms in it.

    `to` is the address of the account's owner, where the message is for that one; empty if it is for the operator.
    """

    service: str
    node: str
    at: datetime
    text: str
    alarms: tuple[Notice, ...] = ()
    to: str = ""

    @property
    def subject(self) -> str:
        """One line that says how much has begun and ended, and what if that is one thing."""
        name = " ".join(part for part in (self.service, self.node) if part)
        if not self.alarms:
            return f"[{name}] Test"
        if len(self.alarms) == 1:
            return f"[{name}] {_line(self.alarms[0])}"
        ended = sum(notice.state == ENDED for notice in self.alarms)
        begun = len(self.alarms) - ended
        counts = [f"{begun} alarm{'s' if begun > 1 else ''}"] if begun else []
        counts += [f"{ended} resolved"] if ended else []
        return f"[{name}] {', '.join(counts)}"


def compose(service: str, node: str, at: datetime, notices: Sequence[Notice], to: str = "") -> Message:
    """Return the message about what has begun and ended at a moment; `to` as in `Message`."""
    lines = [_line(notice) for notice in notices[:_MOST_LINES]]
    if len(notices) > _MOST_LINES:
        lines.append(f"… and {len(notices) - _MOST_LINES} more")
    return Message(service, node, at, "\n".join(lines), tuple(notices), to)


def trial_message(service: str, node: str, at: datetime) -> Message:
    """Return a message to try a way with."""
    return Message(service, node, at, "This is a test: alarms of Cambist arrive here.")


def _line(notice: Notice) -> str:
    since = f"{notice.since:%Y-%m-%d %H:%M} UTC"
    if notice.state == ENDED:
        return f"Resolved: {notice.text} (it had begun on {since})"
    return f"{notice.text} (since {since})"
