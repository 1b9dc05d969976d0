"""The admin API: the console's accounts, plans, usage, sources, disputes and problems for programs.

Whose requests reach it has the operator's token: `TokenCheck` refuses all others before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import falcon

from cambist.console.actions import Route
from cambist.console.admin_openapi import admin_document
from cambist.console.call import ConsoleCall, Installation
from cambist.console.http import MAX_BODY, read_body, write_json
from cambist.console.problems import ConsoleRefused

ADMIN_API = "/admin/v1"


class AdminResource:
    """Answers all methods of one path."""

    def __init__(self, installation: Installation, routes: Iterable[Route]) -> None:
        self._installation = installation
        self._routes = {route.method: route for route in routes}
        self.methods = tuple(self._routes)

    def on_get(self, request: falcon.Request, response: falcon.Response, **parts: str) -> None:
        """Call the action of the method, and answer what it returns."""
        route = self._routes[request.method]
        body = read_body(request, MAX_BODY)
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        if route.body and media_type != falcon.MEDIA_JSON:
            raise ConsoleRefused(415, "not_json", "Send the body as [Content-Type: application/json]")
        call = ConsoleCall(self._installation, None, request, response, parts, body)
        write_json(response, route.action(call), route.status)

    on_post = on_get


def add_admin_api(framework: falcon.App[Any, Any], installation: Installation, routes: Iterable[Route]) -> None:
    """Add the paths of the admin API, and its document at `openapi.json`."""
    of_path: dict[str, list[Route]] = {}
    for route in routes:
        of_path.setdefault(route.path, []).append(route)
    document = admin_document([route for each in of_path.values() for route in each], ADMIN_API)
    of_path["/openapi.json"] = [Route("GET", "/openapi.json", lambda _: document)]
    for path, theirs in of_path.items():
        framework.add_route(ADMIN_API + path, AdminResource(installation, theirs))
