"""The audit log: what operators changed, with the console and with commands."""

from __future__ import annotations

import getpass
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from cambist.accounts.audit_entry import DONE, AuditEntry
from cambist.accounts.names import echo
from cambist.errors import CambistError
from cambist.redaction import without_keys
from cambist.settings import Settings
from cambist.storage.audit_log import AuditLog
from cambist.storage.data_directory import DataDirectory

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]


def local_operator() -> str:
    """Return who runs this process, as the audit log names the user of a command."""
    try:
        return f"cli {getpass.getuser()}"
    except (KeyError, OSError):  # no user of this number has a name
        return "cli"


@dataclass(slots=True)
class AuditedAction:
    """An action while it runs: what becomes known of it only then can be added."""

    on: str
    detail: str


class AuditRecorder:
    """Records the actions of one operator in the audit log of a data directory; `who` is by default the user."""

    def __init__(self, settings: Settings, clock: Clock, who: str = "") -> None:
        self._log = AuditLog(DataDirectory(settings.data).audit_log)
        self._clock = clock
        self._who = who or local_operator()

    @contextmanager
    def action(self, name: str, on: str = "", detail: str = "") -> Iterator[AuditedAction]:
        """Record an action when it has ended, with the error that it ended with, if any."""
        action = AuditedAction(on, detail)
        try:
            yield action
        except (CambistError, OSError) as error:
            self._record(name, action, f"refused: {error}")
            raise
        except Exception:
            self._record(name, action, "failed")
            raise
        self._record(name, action, DONE)

    def record(self, name: str, on: str = "", detail: str = "") -> None:
        """Record an action that was done."""
        self._record(name, AuditedAction(on, detail), DONE)

    def _record(self, name: str, action: AuditedAction, result: str) -> None:
        entry = AuditEntry(
            at=self._clock(),
            who=self._who,
            action=name,
            on=without_keys(echo(action.on)),
            detail=without_keys(" ".join(action.detail.split())),
            result=without_keys(" ".join(result.split())),
        )
        try:
            self._log.append(entry)
        except OSError as error:
            # A key must be revocable although this file cannot be written.
            log.warning("%s; not recorded: %s by %s on [%s]", error, name, entry.who, entry.on)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries are wanted: parts of `who` and `on`, the beginning of `action`, the first moment.

    `before` is a number: only older entries are wanted. `limit` is how many at most, the newest of them.
    """

    who: str = ""
    action: str = ""
    on: str = ""
    since: datetime | None = None
    before: int | None = None
    limit: int = 100


def audit_entries(settings: Settings, wanted: AuditFilter) -> list[AuditEntry]:
    """Return the entries that are wanted, newest first. Errors: CannotStart if no service has run in the folder."""
    folder = DataDirectory(settings.data)
    folder.check_served()
    entries = AuditLog(folder.audit_log).entries()
    return list(reversed(deque(_chosen(entries, wanted), maxlen=wanted.limit)))


def _chosen(entries: Iterable[AuditEntry], wanted: AuditFilter) -> Iterator[AuditEntry]:
    for entry in entries:
        if wanted.before is not None and entry.number >= wanted.before:
            return
        if entry.matches(wanted.who, wanted.action, wanted.on, wanted.since):
            yield entry
