"""An entry of the audit log: who changed what, when, and with which result. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

DONE = "done"
"""The result of an action that succeeded."""


class AuditEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action of an operator. The time is UTC.

    `who` is the user of a command, such as `cli anna`, or a session of the console, such as `console 3f9a12`. `on` is
    what was changed, `result` is DONE, or why it was refused. `number` is its place in the log, from 1.
    """

    at: datetime
    who: str
    action: str
    on: str = ""
    detail: str = ""
    result: str = DONE
    number: int = 0

    def matches(self, who: str = "", action: str = "", on: str = "", since: datetime | None = None) -> bool:
        """Return whether it fits a filter: a part of `who` and of `on`, the beginning of `action`, the first moment."""
        return (
            who in self.who and self.action.startswith(action) and on in self.on and (since is None or self.at >= since)
        )
