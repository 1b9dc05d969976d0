"""The console's view of a session, and its end."""

from __future__ import annotations

from typing import Any

from cambist import __version__
from cambist.admin.operators.audit import AuditRecorder
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.console.http import session_cookie
from cambist.console.sessions import IDLE, ConsoleSessions
from cambist.console.sign_in import ended_cookie
from cambist.errors import NotHere
from cambist.registry.wiring.components import environment_of


class SessionActions:
    """What a signed-in operator does with the session itself."""

    def __init__(self, sessions: ConsoleSessions) -> None:
        self._sessions = sessions
        self.routes = (
            Route("GET", "/session", _show, activity=False),
            Route("POST", "/sign-out", self._sign_out),
        )

    def _sign_out(self, call: ConsoleCall) -> dict[str, Any]:
        self._sessions.close(session_cookie(call.request))
        AuditRecorder(call.settings, call.installation.clock, call.who).record("console.sign-out")
        call.response.append_header(*ended_cookie())
        return {"signed_in": False}


def _show(call: ConsoleCall) -> dict[str, Any]:
    if call.session is None:
        raise NotHere("There is no session here")
    return {
        "signed_in": True,
        "csrf": call.session.csrf,
        "expires_at": call.session.ends_at,
        "idle_seconds": int(IDLE.total_seconds()),
        "environment": environment_of(call.settings),
        "version": __version__,
    }
