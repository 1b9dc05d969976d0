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
from cambist.api import errors
from cambist.api.authentication import QUERY_NAME, Authenticator
from cambist.api.cache_middleware import CacheMiddleware, Wsgi
from cambist.api.connections import IDLE_SECONDS
from cambist.api.endpoint import Endpoint
from cambist.api.failed_keys import FailedKeyLimit
from cambist.api.openapi import Json, openapi_document
from cambist.api.pages import add_docs_routes
from cambist.api.resource import PRINCIPAL, EndpointResource
from cambist.api.response_builder import ResponseBuilder
from cambist.api.response_cache import Headers
from cambist.api.unknown_parameters import UnknownParameters, paths_by_parameter
from cambist.api.worker_state import WorkerState
from cambist.clock import WallClock
from cambist.errors import CambistError

_ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type"
_ASKED_HEADERS = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z, ]{1,1000}")
_EXPOSED_HEADERS = "Cambist-Environment, Cambist-Ignored, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Calls-Cost"


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """What an operator may choose about the HTTP face.

    `environment` is named in every answer, error and page; empty for the real world, which is not named.
    """

    path_prefix: str = ""
    cors_origin: str = "*"
    closed_max_age: timedelta = timedelta(hours=1)
    proxies: Networks = ()
    environment: str = ""


def build_application(
    endpoints: Iterable[Endpoint[Any, Any]], worker_state: WorkerState, meter: Meter, options: ApiOptions
) -> Wsgi:
    """Make the application of one worker."""
    endpoints = tuple(endpoints)
    gate = Authenticator(worker_state.principals, FailedKeyLimit(options.proxies))
    standing = _standing(options)
    completes = HeadersMiddleware(standing, meter, worker_state.clock)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(middleware=[completes])
    framework.req_options.strip_url_path_trailing_slash = True
    framework.resp_options.default_media_type = "application/json"
    framework.add_error_handler(Exception, errors.handle_failure)
    framework.add_error_handler(falcon.HTTPError, errors.handle_http_error)
    framework.add_error_handler(CambistError, errors.handle_refusal)
    taken = paths_by_parameter(endpoints)
    for endpoint in endpoints:
        maker, unknown = (
            ResponseBuilder(endpoint, options.closed_max_age),
            UnknownParameters(endpoint, taken, always_accepted=[QUERY_NAME]),
        )
        framework.add_route(endpoint.path, EndpointResource(endpoint, worker_state, gate, meter, maker, unknown))
    add_docs_routes(framework, _document(endpoints, options.path_prefix))
    return CacheMiddleware(framework, worker_state, gate, meter, options.path_prefix, standing)


def _standing(options: ApiOptions) -> Headers:
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


class HeadersMiddleware:
    """Puts the standing headers and the state of the meter on every response, and answers the preflight."""

    def __init__(self, standing: Headers, meter: Meter, clock: WallClock) -> None:
        self._standing = standing
        self._meter = meter
        self._clock = clock

    def process_request(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer a preflight, whatever its path: it asks for leave to ask, and what is there is said to a GET."""
        if request.method != "OPTIONS":
            return
        asked = request.env.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "").strip()
        response.status = 204
        response.set_header("Allow", ", ".join(errors.METHODS))
        response.set_header("Access-Control-Allow-Methods", ", ".join(errors.METHODS))
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
        principal = request.env.get(PRINCIPAL)
        if principal is not None:
            response.set_headers(self._meter.headers(principal, self._clock()))


@lru_cache(maxsize=4)
def _document(endpoints: tuple[Endpoint[Any, Any], ...], path_prefix: str) -> Json:
    """Return the OpenAPI document, which is made once for each set of endpoints: it takes a tenth of a second."""
    return openapi_document(endpoints, path_prefix)
