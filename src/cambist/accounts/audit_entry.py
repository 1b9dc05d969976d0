"""An entry of the audit log: who changed what, when, and with which result. Pure."""

from __future__ import annotations

import re
from datetime import datetime

from msgspec import Struct

from cambist.accounts.api_key import PREFIX, shown_prefix

DONE = "done"
"""The result of an action that succeeded."""

_SHOWN = len(shown_prefix("0" * 99)) - len(PREFIX)
_KEY = re.compile(rf"({PREFIX}[0-9A-Za-z]{{{_SHOWN}}})[0-9A-Za-z]+")


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


def without_keys(text: str) -> str:
    """Return a text in which each API key is cut to its prefix: the audit log never contains a key."""
    return _KEY.sub(r"\1…", text)
