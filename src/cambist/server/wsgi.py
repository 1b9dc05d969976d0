"""Putting endpoints, pages and errors together into one WSGI application."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import falcon

from cambist.errors import CambistError
from cambist.server import problems
from cambist.server.answers import Headers
from cambist.server.desk import Desk
from cambist.server.endpoint import Endpoint
from cambist.server.front import Front, Wsgi
from cambist.server.gate import Gate
from cambist.server.openapi import document
from cambist.server.pages import add_pages
from cambist.server.resource import EndpointResource

_ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type"
_EXPOSED_HEADERS = "ETag, Retry-After, X-Calls-Cost"


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator may choose about the HTTP face."""

    path_prefix: str = ""
    cors_origin: str = "*"
    closed_max_age: timedelta = timedelta(hours=1)


def build_wsgi(endpoints: Iterable[Endpoint[Any, Any]], desk: Desk, options: Options) -> Wsgi:
    """Make the application of one worker."""
    endpoints = tuple(endpoints)
    gate = Gate(desk.accounts)
    cors = _cors(options.cors_origin)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(middleware=[Cors(cors)])
    framework.req_options.strip_url_path_trailing_slash = True
    framework.resp_options.default_media_type = "application/json"
    framework.add_error_handler(Exception, problems.on_failure)
    framework.add_error_handler(falcon.HTTPError, problems.on_http_error)
    framework.add_error_handler(CambistError, problems.on_refusal)
    closed_for = int(options.closed_max_age.total_seconds())
    for endpoint in endpoints:
        framework.add_route(endpoint.path, EndpointResource(endpoint, desk, gate, closed_for))
    add_pages(framework, document(endpoints, options.path_prefix))
    return Front(framework, desk, gate, options.path_prefix, cors)


def _cors(origin: str) -> Headers:
    headers = [("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", _EXPOSED_HEADERS)]
    return headers if origin == "*" else [*headers, ("Vary", "Origin")]


class Cors:
    """Puts the CORS headers on every answer and error, and answers the preflight."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    def process_response(
        self, request: falcon.Request, response: falcon.Response, _resource: object, *_succeeded: bool
    ) -> None:
        """Complete a response before it is sent."""
        response.set_headers(self._headers)
        if request.method == "OPTIONS" and response.status_code < 300:
            response.status = 204
            response.set_header("Allow", ", ".join(problems.METHODS))
            response.set_header("Access-Control-Allow-Methods", ", ".join(problems.METHODS))
            response.set_header("Access-Control-Allow-Headers", _ALLOWED_HEADERS)
            response.set_header("Access-Control-Max-Age", "86400")
