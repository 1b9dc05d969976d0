"""Sessions of the console: in memory only, so that a restart of the service ends them all."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

IDLE = timedelta(minutes=30)
"""How long a session lasts without a request."""

LONGEST = timedelta(hours=12)
"""How long a session lasts at most."""

MAX_SESSIONS = 16
"""The most sessions at once: one more ends the one that was idle for longest."""

MAX_FAILURES = 10
_FAILURES_WITHIN = timedelta(minutes=1)


@dataclass(slots=True)
class ConsoleSession:
    """Who is signed in. `name` stands in the audit log; `csrf` must come with every change."""

    name: str
    csrf: str
    ends_at: datetime
    last_used: datetime

    def is_over(self, now: datetime) -> bool:
        """Return whether it was idle for too long, or is too old; one that was used later than now may be either."""
        return not self.last_used - IDLE < now < min(self.ends_at, self.last_used + IDLE)


class ConsoleSessions:
    """The sessions, by the digest of their cookie."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[bytes, ConsoleSession] = {}

    def open(self) -> tuple[str, ConsoleSession]:
        """Begin a session; return the value of its cookie, which is stored nowhere, and the session."""
        now, cookie = self._clock(), secrets.token_urlsafe(32)
        session = ConsoleSession(f"console {secrets.token_hex(3)}", secrets.token_urlsafe(32), now + LONGEST, now)
        with self._lock:
            self._sessions = {key: each for key, each in self._sessions.items() if not each.is_over(now)}
            if len(self._sessions) >= MAX_SESSIONS:
                del self._sessions[min(self._sessions, key=lambda key: self._sessions[key].last_used)]
            self._sessions[_digest(cookie)] = session
        return cookie, session

    def find(self, cookie: str, *, is_activity: bool = True) -> ConsoleSession | None:
        """Return the session of a cookie, if there is one; it is used now, unless that is no activity of a person."""
        now = self._clock()
        with self._lock:
            session = self._sessions.get(_digest(cookie))
            if session is None or session.is_over(now):
                return None
            if is_activity:
                session.last_used = now
            return session

    def close(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_digest(cookie), None)


class FailedSignIns:
    """Counts failed attempts to sign in. All come from this machine, so they are counted together."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: deque[datetime] = deque(maxlen=MAX_FAILURES)

    def record(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures.append(self._clock())

    def are_too_many(self) -> bool:
        """Return whether there were too many in the last minute."""
        with self._lock:
            since = self._clock() - self._failures[0] if len(self._failures) == MAX_FAILURES else None
            return since is not None and abs(since) < _FAILURES_WITHIN


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()
