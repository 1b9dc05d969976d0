"""The WSGI application: endpoints, pages, errors and middleware put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any

import falcon

from cambist.accounts.addresses import Networks
from cambist.accounts.meter import Meter
from cambist.api import errors
from cambist.api.authentication import QUERY_NAME, Authenticator
from cambist.api.bulk import METHODS as BULK_METHODS
from cambist.api.bulk import PATH as BULK_PATH
from cambist.api.bulk.resource import BulkResource
from cambist.api.corrections_atom import ENDPOINT as CORRECTIONS
from cambist.api.corrections_atom import PATH as ATOM_PATH
from cambist.api.corrections_atom import CorrectionsAtomResource
from cambist.api.dialects.dialect import Dialect
from cambist.api.dialects.resource import DialectResource
from cambist.api.dialects.routes import add_dialect_routes, dialect_index
from cambist.api.direct.way import DirectServing, DirectWay
from cambist.api.endpoint import Endpoint
from cambist.api.fast_path import FastPath, Headers, ServingOptions
from cambist.api.headers_middleware import HeadersMiddleware
from cambist.api.mcp import PATH as MCP_PATH
from cambist.api.mcp.resource import METHODS as MCP_METHODS
from cambist.api.mcp.resource import McpResource
from cambist.api.openapi import Json, openapi_document
from cambist.api.page import PageOptions, add_page_routes
from cambist.api.pages import add_docs_routes
from cambist.api.receipts import KEYS_PATH
from cambist.api.receipts import METHODS as RECEIPTS_METHODS
from cambist.api.receipts import PATH as RECEIPTS_PATH
from cambist.api.receipts.log_resource import TEMPLATE as LOG_TEMPLATE
from cambist.api.receipts.log_resource import LogResource
from cambist.api.receipts.middleware import ReceiptMiddleware
from cambist.api.receipts.resource import ReceiptsResource, SigningKeysResource
from cambist.api.request_metrics import Counts
from cambist.api.resource import EndpointResource
from cambist.api.tables.routes import add_table_routes
from cambist.api.turns import RequestTurns
from cambist.api.unknown_parameters import PathsByParameter, UnknownParameters, paths_by_parameter
from cambist.api.worker_state import WorkerState
from cambist.errors import CambistError
from cambist.http.connection_limit import IDLE_SECONDS
from cambist.http.delivery import ClientGone

_EXPOSED_HEADERS = (
    "Cambist-Edition, Cambist-Environment, Cambist-First-Edition, Cambist-Ignored, Cambist-Receipt, "
    "Cambist-Unavailable, Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Calls-Cost, "
    "X-Request-Id"
)

_METHODS = {BULK_PATH: BULK_METHODS, MCP_PATH: MCP_METHODS, RECEIPTS_PATH: RECEIPTS_METHODS}
"""The methods of the paths that have others than endpoints."""


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """What an operator may configure about the HTTP API.

    `environment` is named in the headers of every answer, error and page; it is empty for live prices. `counts` is
    where requests are counted.
    """

    path_prefix: str = ""
    cors_origin: str = "*"
    closed_max_age: timedelta = timedelta(hours=1)
    proxies: Networks = ()
    environment: str = ""
    page: PageOptions = field(default_factory=PageOptions)
    dialects: tuple[Dialect, ...] = ()
    counts: Counts | None = None


def build_application(
    endpoints: Iterable[Endpoint[Any, Any]], worker_state: WorkerState, meter: Meter, options: ApiOptions
) -> FastPath:
    """Return the application of one worker."""
    endpoints = tuple(endpoints)
    authenticator = Authenticator(worker_state.principals, options.proxies)
    headers = _headers_of_all(options)
    framework = _framework(worker_state, meter, options, headers)
    paths = paths_by_parameter(endpoints)
    resources: dict[str, EndpointResource] = {}
    for endpoint in endpoints:
        unknown_for = partial(_unknown_parameters, endpoint, paths)
        max_age = options.closed_max_age
        resource = EndpointResource(endpoint, worker_state, authenticator, meter, unknown_for(), max_age)
        resources[endpoint.path] = resource
        if endpoint.path == CORRECTIONS:
            framework.add_route(ATOM_PATH, CorrectionsAtomResource(resource, unknown_for()))
        if endpoint.table is None:
            framework.add_route(endpoint.path, resource)
        else:
            add_table_routes(framework, endpoint.path, resource, unknown_for, options.environment)
    framework.add_route(BULK_PATH, BulkResource(worker_state, authenticator, meter, options.environment))
    add_docs_routes(framework, partial(_document, endpoints, options.path_prefix), options.environment)
    tools = McpResource(worker_state, authenticator, meter, options.cors_origin, options.environment)
    framework.add_route(MCP_PATH, tools)
    add_dialect_routes(
        framework,
        options.dialects,
        lambda dialect, route: DialectResource(dialect, route, worker_state, authenticator, meter, options.path_prefix),
    )
    add_page_routes(framework, options.page, dialect_index(options.dialects))
    turns = RequestTurns(authenticator, resources, options.dialects, headers, options.path_prefix)
    directly = DirectServing(headers, options.closed_max_age, options.path_prefix, options.counts)
    direct = DirectWay(endpoints, worker_state, meter, directly)
    serving = ServingOptions(headers, turns, direct, options.path_prefix, options.counts)
    return FastPath(framework, resources, worker_state.caches, authenticator, meter, serving)


def _framework(
    worker_state: WorkerState, meter: Meter, options: ApiOptions, headers: Headers
) -> falcon.App[falcon.Request, falcon.Response]:
    """Return the web framework with what applies to all routes."""
    # The last to see a response signs it, with all its headers.
    secret = [name for dialect in options.dialects for name in dialect.key_parameters]
    signing = ReceiptMiddleware(worker_state, options.environment, secret)
    completing = HeadersMiddleware(headers, meter, worker_state.clock, _METHODS)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(middleware=[signing, completing])
    framework.req_options.strip_url_path_trailing_slash = True
    framework.resp_options.default_media_type = "application/json"
    framework.add_error_handler(Exception, errors.handle_failure)
    framework.add_error_handler(falcon.HTTPError, errors.handle_http_error)
    framework.add_error_handler(CambistError, errors.handle_refusal)
    framework.add_error_handler(ClientGone, errors.handle_departure)
    framework.add_route(RECEIPTS_PATH, ReceiptsResource(framework, options.path_prefix))
    framework.add_route(KEYS_PATH, SigningKeysResource(worker_state))
    framework.add_route(LOG_TEMPLATE, LogResource(worker_state))
    return framework


def _unknown_parameters(
    endpoint: Endpoint[Any, Any], paths: PathsByParameter, accepted: Iterable[str] = ()
) -> UnknownParameters:
    return UnknownParameters(endpoint, paths, always_accepted=[QUERY_NAME, *accepted])


def _headers_of_all(options: ApiOptions) -> Headers:
    """Return the headers of every answer, error and page."""
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


@lru_cache(maxsize=4)
def _document(endpoints: tuple[Endpoint[Any, Any], ...], path_prefix: str) -> Json:
    """Return the OpenAPI document, built once for each set of endpoints: it takes a tenth of a second."""
    return openapi_document(endpoints, path_prefix)
