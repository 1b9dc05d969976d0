"""Edit the plans file of a data directory: checked before it is written, and applied at once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cambist.accounts.plan import Plan, read_plans
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import ChangedMeanwhile
from cambist.registry.accounts.plans import check_account_plans
from cambist.settings import Settings
from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory

_writing = threading.Lock()


@dataclass(frozen=True, slots=True)
class PlansText:
    """The text of the plans file, whether it is in effect, and the text before the last save."""

    text: str
    applied: bool
    previous: str | None

    @property
    def version(self) -> str:
        """What changes with the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class PlansEditor:
    """Reads, checks and replaces the plans file; `who` is recorded in the audit log."""

    def __init__(self, admin: AccountAdmin, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        self._admin = admin
        self._folder = DataDirectory(settings.data)
        self._audit = AuditRecorder(settings, clock, who)

    def read(self) -> PlansText:
        """Return the file as it is, valid or not; it is empty if there is none."""
        text = _text(self._folder.plans) or ""
        return PlansText(text, text == _text(self._folder.plans_in_force), _text(self._folder.previous_plans))

    def check(self, text: str) -> Mapping[str, Plan]:
        """Return the plans of a text. Errors: PlansRefused, with the place."""
        plans = read_plans(text, self._folder.plans.name)
        check_account_plans(self._admin.accounts(), plans, Path(self._folder.plans.name))
        return plans

    def save(self, text: str, version: str) -> None:
        """Replace the text of this version, keep it as the previous one, and apply the new one.

        Errors: PlansRefused, ChangedMeanwhile, and nothing is written.
        """
        with _writing, self._audit.action("plans.edit", self._folder.plans.name) as action:
            old = self.read()
            if old.version != version:
                raise ChangedMeanwhile("The plans file was changed meanwhile: read it again, and repeat your change")
            action.detail = _changes(self._admin.plans, self.check(text))
            write_atomically(self._folder.previous_plans, old.text.encode())
            write_atomically(self._folder.plans, text.encode())
            self._admin.reload_plans()


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def _changes(before: Mapping[str, Plan], after: Mapping[str, Plan]) -> str:
    """Return which plans a new text adds, removes and changes."""
    kinds = {
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
        "changed": [name for name in after if name in before and after[name] != before[name]],
    }
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in kinds.items() if names) or "no plan changed"
