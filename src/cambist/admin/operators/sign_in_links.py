"""One-time links that sign in to the console. The data folder has only their digests.

How old a link is tells the time since the start of the machine: a wall clock that is set neither ends a link nor lets
one be used that has ended.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from cambist.admin.operators.audit import AuditRecorder
from cambist.clock import Uptime, uptime
from cambist.errors import CannotStart, LinkRefused
from cambist.settings import Settings
from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory

LINK_LIFE = timedelta(minutes=5)
"""How long a link can be used."""

_REFUSED = "This link was used already, or has expired: [cambist console] prints another one"
_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


class SignInLinks:
    """Creates links and consumes them. A link is a file named by the digest of its token: unlinking consumes it."""

    def __init__(
        self, settings: Settings, clock: Callable[[], datetime], elapsed: Callable[[], Uptime] = uptime
    ) -> None:
        self._settings = settings
        self._elapsed = elapsed
        self._folder = DataDirectory(settings.data).sign_in_links
        self._clock = clock

    def create(self) -> str:
        """Return the token of a new link. Errors: CannotStart if there is no console, or no service's data."""
        if not self._settings.console or not self._settings.operator_port:
            missing = "console" if self._settings.operator_port else "operator_port"
            raise CannotStart(f"There is no console: the setting [{missing}] switches it off")
        DataDirectory(self._settings.data).check_served()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._remove_expired()
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        start, seconds = self._elapsed()
        write_atomically(self._path(token), f"{seconds} {start}\n".encode())
        ends_at = self._clock() + LINK_LIFE
        AuditRecorder(self._settings, self._clock).record("console.link", detail=f"until {ends_at:%H:%M:%S} UTC")
        return token

    def check(self, token: str) -> None:
        """Check that a token can be used now, without using it. Errors: LinkRefused."""
        if not self.is_usable(token):
            raise LinkRefused(_REFUSED)

    def is_usable(self, token: str) -> bool:
        """Return whether a token can be used now."""
        return bool(_TOKEN.fullmatch(token)) and self._is_current(self._path(token))

    def consume(self, token: str) -> None:
        """Use a token: of several attempts at once, one succeeds. Errors: LinkRefused."""
        self.check(token)
        try:
            self._path(token).unlink()
        except FileNotFoundError:
            raise LinkRefused(_REFUSED) from None

    def _path(self, token: str) -> Path:
        return self._folder / hashlib.sha256(token.encode()).hexdigest()

    def _is_current(self, path: Path) -> bool:
        start, seconds = self._elapsed()
        try:
            created, _, created_start = path.read_text(encoding="utf-8").strip().partition(" ")
            age = seconds - float(created)
        except (OSError, ValueError):
            return False
        return created_start == start and 0 <= age < LINK_LIFE.total_seconds()

    def _remove_expired(self) -> None:
        for path in self._folder.iterdir():
            if not path.name.startswith(".") and not self._is_current(path):
                path.unlink(missing_ok=True)
