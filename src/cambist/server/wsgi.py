"""Putting endpoints, pages and errors together into one WSGI application."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

import falcon

from cambist.accounts.addresses import Networks
from cambist.accounts.meter import Meter
from cambist.errors import CambistError
from cambist.server import problems
from cambist.server.answers import Headers
from cambist.server.connections import IDLE_SECONDS
from cambist.server.desk import Clock, Desk
from cambist.server.endpoint import Endpoint
from cambist.server.failures import Failures
from cambist.server.front import Front, Wsgi
from cambist.server.gate import QUERY_NAME, Gate
from cambist.server.making import Maker
from cambist.server.openapi import Json, document
from cambist.server.pages import add_pages
from cambist.server.resource import SUBSCRIBER, EndpointResource
from cambist.server.unknown import Unknown, takers

_ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type"
_ASKED_HEADERS = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z, ]{1,1000}")
_EXPOSED_HEADERS = "Cambist-Environment, Cambist-Ignored, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Calls-Cost"


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator may choose about the HTTP face.

    `environment` is named in every answer, error and page; empty for the real world, which is not named.
    """

    path_prefix: str = ""
    cors_origin: str = "*"
    closed_max_age: timedelta = timedelta(hours=1)
    proxies: Networks = ()
    environment: str = ""


def build_wsgi(endpoints: Iterable[Endpoint[Any, Any]], desk: Desk, meter: Meter, options: Options) -> Wsgi:
    """Make the application of one worker."""
    endpoints = tuple(endpoints)
    gate = Gate(desk.subscribers, Failures(options.proxies))
    standing = _standing(options)
    completes = Completes(standing, meter, desk.clock)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(middleware=[completes])
    framework.req_options.strip_url_path_trailing_slash = True
    framework.resp_options.default_media_type = "application/json"
    framework.add_error_handler(Exception, problems.on_failure)
    framework.add_error_handler(falcon.HTTPError, problems.on_http_error)
    framework.add_error_handler(CambistError, problems.on_refusal)
    taken = takers(endpoints)
    for endpoint in endpoints:
        maker, unknown = Maker(endpoint, options.closed_max_age), Unknown(endpoint, taken, besides=[QUERY_NAME])
        framework.add_route(endpoint.path, EndpointResource(endpoint, desk, gate, meter, maker, unknown))
    add_pages(framework, _document(endpoints, options.path_prefix))
    return Front(framework, desk, gate, meter, options.path_prefix, standing)


def _standing(options: Options) -> Headers:
    """Give the headers of every answer, error and page."""
    headers = [
        ("Access-Control-Allow-Origin", options.cors_origin),
        ("Access-Control-Expose-Headers", _EXPOSED_HEADERS),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Server", "cambist"),
        ("Keep-Alive", f"timeout={IDLE_SECONDS}"),
    ]
    if options.environment:
        headers.append(("Cambist-Environment", options.environment))
    return headers if options.cors_origin == "*" else [*headers, ("Vary", "Origin")]


class Completes:
    """Puts the standing headers and the state of the meter on every response, and answers the preflight."""

    def __init__(self, standing: Headers, meter: Meter, clock: Clock) -> None:
        self._standing = standing
        self._meter = meter
        self._clock = clock

    def process_request(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer a preflight, whatever its path: it asks for leave to ask, and what is there is said to a GET."""
        if request.method != "OPTIONS":
            return
        asked = request.env.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "").strip()
        response.status = 204
        response.set_header("Allow", ", ".join(problems.METHODS))
        response.set_header("Access-Control-Allow-Methods", ", ".join(problems.METHODS))
        # Every header may be sent, but a star would leave out Authorization: browsers are told those that they ask for.
        response.set_header(
            "Access-Control-Allow-Headers", asked if _ASKED_HEADERS.fullmatch(asked) else _ALLOWED_HEADERS
        )
        response.set_header("Access-Control-Max-Age", "86400")
        response.complete = True

    def process_response(
        self, request: falcon.Request, response: falcon.Response, _resource: object, *_succeeded: bool
    ) -> None:
        """Complete a response before it is sent."""
        for name, value in self._standing:
            (response.append_header if name == "Vary" else response.set_header)(name, value)
        subscriber = request.env.get(SUBSCRIBER)
        if subscriber is not None:
            response.set_headers(self._meter.headers(subscriber, self._clock()))


@lru_cache(maxsize=4)
def _document(endpoints: tuple[Endpoint[Any, Any], ...], path_prefix: str) -> Json:
    """Return the OpenAPI document, which is made once for each set of endpoints: it takes a tenth of a second."""
    return document(endpoints, path_prefix)
