"""The actions of the console's API: which method and path calls which function, and who may call it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import falcon

from cambist.console.call import ConsoleCall, Installation
from cambist.console.http import MAX_BODY, read_body, session_cookie, write_json
from cambist.console.problems import ConsoleRefused
from cambist.console.sessions import ConsoleSession, ConsoleSessions


@dataclass(frozen=True)
class Route:
    """A method and a path, whose parts in braces are variable; `status` is that of a success.

    A route that is no `activity` does not keep a session from ending: the page calls it by itself. For the document of
    the admin API, `summary` says what it does, `body` is what it reads, and `query` names its parameters.
    """

    method: str
    path: str
    action: Callable[[ConsoleCall], object]
    status: int = 200
    activity: bool = True
    summary: str = ""
    body: type | None = None
    query: tuple[str, ...] = ()


class ActionResource:
    """Answers all methods of one path, for who is signed in."""

    def __init__(self, installation: Installation, sessions: ConsoleSessions, routes: Iterable[Route]) -> None:
        self._installation = installation
        self._sessions = sessions
        self._routes = {route.method: route for route in routes}
        self.methods = tuple(self._routes)

    def on_get(self, request: falcon.Request, response: falcon.Response, **parts: str) -> None:
        """Call the action of the method, and answer what it returns."""
        route = self._routes[request.method]
        is_activity = route.activity and "HTTP_X_BACKGROUND" not in request.env
        session = self._sessions.find(session_cookie(request), is_activity=is_activity)
        if session is None:
            raise ConsoleRefused(401, "signed_out", "You are signed out: run [cambist console] and open its link")
        if request.method != "GET":
            _check_change(request, session)
        body = read_body(request, MAX_BODY)
        call = ConsoleCall(self._installation, session, request, response, parts, body)
        write_json(response, route.action(call), route.status)

    on_post = on_get


def _check_change(request: falcon.Request, session: ConsoleSession) -> None:
    """Refuse a change that the console's own page did not send. Errors: ConsoleRefused."""
    if (request.content_type or "").partition(";")[0].strip().lower() != falcon.MEDIA_JSON:
        raise ConsoleRefused(415, "not_json", "A change is sent as application/json")
    if not secrets.compare_digest(request.env.get("HTTP_X_CSRF_TOKEN", "").encode(), session.csrf.encode()):
        raise ConsoleRefused(403, "csrf", "The header X-CSRF-Token is missing or wrong: load the page again")
