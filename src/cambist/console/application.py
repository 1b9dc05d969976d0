"""The WSGI application of the operator's port: the console, and below it health checks and metrics."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cambist import __version__
from cambist.admin.operators.audit import AuditRecorder
from cambist.console import sign_in
from cambist.console.call import ConsoleCall, Installation
from cambist.console.http import (
    MAX_BODY,
    MAX_FORM,
    ConsoleAnswer,
    ConsoleRequest,
    json_answer,
    read_request,
    with_body,
)
from cambist.console.page_files import ConsolePage
from cambist.console.problems import ConsoleRefused, problem_of
from cambist.console.router import Route, Router
from cambist.console.sessions import IDLE, ConsoleSession, ConsoleSessions
from cambist.errors import shorten
from cambist.registry.wiring.components import environment_of

log = logging.getLogger(__name__)

API = "/console/api"


class ConsoleApplication:
    """The console. Requests for other paths go to `rest`."""

    def __init__(
        self, installation: Installation, routes: Iterable[Route], rest: Callable[..., Iterable[bytes]]
    ) -> None:
        self._installation = installation
        self._rest = rest
        self._page = ConsolePage()
        self._sessions = ConsoleSessions(installation.clock)
        self._sign_in = sign_in.SignIn(installation, self._sessions, self._page.of_sign_in)
        self._router = Router((Route("GET", "/session", self._session, activity=False), *routes))

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        """Answer a request."""
        path = str(environ.get("PATH_INFO", ""))
        if path.startswith("/console/"):
            return self._answer(environ).send(start)
        asset = self._page.find(path, environ)
        if asset is None:
            return self._rest(environ, start)
        return (asset if environ.get("REQUEST_METHOD", "GET") in ("GET", "HEAD") else _of_page(path)).send(start)

    def _answer(self, environ: Mapping[str, Any]) -> ConsoleAnswer:
        try:
            request = read_request(environ)
            if request.path == sign_in.PATH:
                request.check_method(sign_in.METHODS)
                return self._sign_in.answer(with_body(request, environ, MAX_FORM))
            return self._call(request, environ)
        except Exception as error:  # noqa: BLE001  the answer says what it is, or the log does
            return _refusal(error)

    def _call(self, request: ConsoleRequest, environ: Mapping[str, Any]) -> ConsoleAnswer:
        request.check_origin()
        path = request.path.removeprefix(API)
        if path == request.path:
            raise ConsoleRefused(404, "unknown_path", f"The console's API is below {API}")
        is_sign_out = (request.method, path) == ("POST", "/sign-out")
        route, parts = (None, {}) if is_sign_out else self._router.find(request.method, path)
        is_activity = not request.is_background and (route is None or route.activity)
        session = self._sessions.find(request.cookie, is_activity=is_activity)
        if session is None:
            raise ConsoleRefused(401, "signed_out", "You are signed out: run [cambist console] and open its link")
        if request.method != "GET":
            _check_change(request, session)
        request = with_body(request, environ, MAX_BODY)
        if route is None:
            return self._sign_out(request, session)
        return json_answer(route.action(ConsoleCall(self._installation, session, request, parts)), route.status)

    def _session(self, call: ConsoleCall) -> object:
        return {
            "signed_in": True,
            "csrf": call.session.csrf,
            "expires_at": call.session.ends_at,
            "idle_seconds": int(IDLE.total_seconds()),
            "environment": environment_of(call.settings),
            "version": __version__,
        }

    def _sign_out(self, request: ConsoleRequest, session: ConsoleSession) -> ConsoleAnswer:
        self._sessions.close(request.cookie)
        AuditRecorder(self._installation.settings, self._installation.clock, session.name).record("console.sign-out")
        answer = json_answer({"signed_in": False})
        return ConsoleAnswer(200, answer.content, headers=(*answer.headers, sign_in.ended_cookie()))


def _check_change(request: ConsoleRequest, session: ConsoleSession) -> None:
    """Refuse a change that the console's own page did not send. Errors: ConsoleRefused."""
    if request.content_type != "application/json":
        raise ConsoleRefused(415, "not_json", "A change is sent as application/json")
    if not secrets.compare_digest(request.csrf.encode(), session.csrf.encode()):
        raise ConsoleRefused(403, "csrf", "The header X-CSRF-Token is missing or wrong: load the page again")


def _of_page(path: str) -> ConsoleAnswer:
    """Refuse another method for a file of the page."""
    return _refusal(ConsoleRefused(405, "wrong_method", f"[{shorten(path)}] takes GET"))


def _refusal(error: Exception) -> ConsoleAnswer:
    problem = problem_of(error)
    if problem is None:
        log.error("Console: a request failed", exc_info=error)
        return json_answer({"error": "The console failed to answer; the log has the reason", "code": "internal"}, 500)
    return json_answer({"error": str(error), "code": problem.code, **problem.fields}, problem.status)
