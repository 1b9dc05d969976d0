"""The WSGI application of the operator's port: the console, and below it health checks and metrics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

import falcon

from cambist.console import sign_in
from cambist.console.actions import ActionResource, Route
from cambist.console.admin_api import ADMIN_API, add_admin_api
from cambist.console.call import Installation
from cambist.console.http import check_origin, write_json
from cambist.console.page_files import ConsolePage
from cambist.console.problems import ConsoleRefused, problem_of
from cambist.console.session_actions import SessionActions
from cambist.console.sessions import ConsoleSessions
from cambist.errors import shorten
from cambist.web.page_security import PAGE_HEADERS, content_security_policy

log = logging.getLogger(__name__)

API = "/console/api"

_HEADERS = (
    *PAGE_HEADERS,
    ("Content-Security-Policy", content_security_policy(form="'self'")),
    # A stricter policy would make browsers send the sign-in form with `Origin: null`.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


class ConsoleApplication:
    """The console, unless it is switched off, and the admin API, if there is a token. Other requests go to `rest`."""

    def __init__(
        self, installation: Installation, routes: Iterable[Route], rest: Callable[..., Iterable[bytes]]
    ) -> None:
        self._rest = rest
        self._has_console = installation.settings.console
        self._has_admin_api = bool(installation.settings.operator_token)
        self._page = ConsolePage()
        self._framework = _framework(installation, tuple(routes), self._page)

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        """Answer a request."""
        path = str(environ.get("PATH_INFO", ""))
        is_own = self._has_console and (path.startswith("/console/") or self._page.has(path))
        is_own = is_own or (self._has_admin_api and path.startswith(f"{ADMIN_API}/"))
        return (self._framework if is_own else self._rest)(environ, start)


def _framework(
    installation: Installation, routes: tuple[Route, ...], page: ConsolePage
) -> falcon.App[falcon.Request, falcon.Response]:
    sessions = ConsoleSessions(installation.clock)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(middleware=_Checks())
    framework.add_error_handler(Exception, _refuse)
    framework.add_error_handler(falcon.HTTPError, _refuse_http)
    framework.add_route(sign_in.PATH, sign_in.SignIn(installation, sessions, page.of_sign_in))
    for template in page.templates:
        framework.add_route(template, page)
    actions = (*SessionActions(sessions).routes, *routes)
    for path in dict.fromkeys(route.path for route in actions):
        of_path = [route for route in actions if route.path == path]
        framework.add_route(API + path, ActionResource(installation, sessions, of_path))
    add_admin_api(framework, installation, [route for route in routes if route.summary])
    return framework


class _Checks:
    """What holds for all paths: whose requests are answered, with which methods, and the headers of every answer."""

    def process_request(self, request: falcon.Request, _response: falcon.Response) -> None:
        """Refuse requests of other sites, but for the pages, which anyone may open."""
        if request.path.startswith("/console/") and request.path != sign_in.PATH:
            check_origin(request)

    def process_resource(
        self, request: falcon.Request, _response: falcon.Response, resource: Any, parts: dict[str, str]
    ) -> None:
        """Refuse empty parts of a path, and a method that the path does not take, before Falcon answers to it."""
        if not all(parts.values()):
            raise falcon.HTTPRouteNotFound
        if request.method not in resource.methods:
            allowed = " or ".join(resource.methods)
            raise ConsoleRefused(405, "wrong_method", f"[{_path_of(request)}] takes {allowed}")

    def process_response(self, _request: falcon.Request, response: falcon.Response, *_: object) -> None:
        """Complete the headers."""
        if response.get_header("Cache-Control") is None:
            response.cache_control = ["no-store"]
        response.set_headers(_HEADERS)


def _refuse_http(request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, params: object) -> None:
    """Answer what Falcon refuses: unknown paths, and methods that are none."""
    if error.status_code == 404:
        refused = ConsoleRefused(404, "unknown_path", f"There is no [{_path_of(request)}]")
    else:
        refused = ConsoleRefused(405, "wrong_method", f"[{_path_of(request)}] does not take {shorten(request.method)}")
    _refuse(request, response, refused, params)


def _refuse(_request: falcon.Request, response: falcon.Response, error: Exception, _params: object) -> None:
    problem = problem_of(error)
    if problem is None:
        log.error("Console: a request failed", exc_info=error)
        said = {"error": "The answer failed; the log has the reason", "code": "internal"}
        write_json(response, said, 500)
    else:
        write_json(response, {"error": str(error), "code": problem.code, **problem.fields}, problem.status)


def _path_of(request: falcon.Request) -> str:
    return shorten(request.path.removeprefix(API))
