"""The WSGI application: endpoints, pages, errors and middleware put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any

import falcon

from cambist.accounts.addresses import Networks
from cambist.accounts.meter import Meter
from cambist.api import errors
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.endpoint_answers import EndpointAnswers
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.call.admission import Admission
from cambist.api.call.credentials import Authenticator
from cambist.api.call.settlement import Settlement
from cambist.api.direct.way import DirectServing, DirectWay
from cambist.api.docs.interactive_reference import add_docs_routes
from cambist.api.docs.openapi import openapi_document
from cambist.api.docs.openapi_schemas import Json
from cambist.api.docs.web_page import PageOptions, add_page_routes
from cambist.api.faces.bulk import METHODS as BULK_METHODS
from cambist.api.faces.bulk import PATH as BULK_PATH
from cambist.api.faces.bulk.conversion_resource import BulkResource
from cambist.api.faces.corrections_atom import ENDPOINT as CORRECTIONS
from cambist.api.faces.corrections_atom import PATH as ATOM_PATH
from cambist.api.faces.corrections_atom import CorrectionsAtomResource
from cambist.api.faces.dialects.dialect import Dialect
from cambist.api.faces.dialects.dialect_paths import DialectPaths
from cambist.api.faces.dialects.dialect_resource import DialectResource, DialectServing
from cambist.api.faces.dialects.routes import add_dialect_routes, dialect_index
from cambist.api.faces.json_face import JsonFace
from cambist.api.faces.mcp import PATH as MCP_PATH
from cambist.api.faces.mcp.mcp_resource import METHODS as MCP_METHODS
from cambist.api.faces.mcp.mcp_resource import McpResource
from cambist.api.faces.posted import METHODS as POSTED_METHODS
from cambist.api.faces.posted.posted_resource import PostedResource
from cambist.api.faces.receipts import KEYS_PATH
from cambist.api.faces.receipts import METHODS as RECEIPTS_METHODS
from cambist.api.faces.receipts import PATH as RECEIPTS_PATH
from cambist.api.faces.receipts.log_resource import TEMPLATE as LOG_TEMPLATE
from cambist.api.faces.receipts.log_resource import LogResource
from cambist.api.faces.receipts.middleware import ReceiptMiddleware
from cambist.api.faces.receipts.receipts_resource import ReceiptsResource, SigningKeysResource
from cambist.api.faces.tables.routes import add_table_routes
from cambist.api.faces.tables.table_resource import TableParts
from cambist.api.headers_middleware import HeadersMiddleware
from cambist.api.path_router import PathRouter
from cambist.api.questions.unknown_parameters import (
    paths_by_parameter,
    unknown_of_endpoint,
)
from cambist.api.request_bodies import RequestBodies
from cambist.api.request_metrics import Counts
from cambist.api.state.worker_state import WorkerState
from cambist.api.turns import RequestTurns
from cambist.api.worker_application import Headers, ServingOptions, WorkerApplication
from cambist.errors import CambistError
from cambist.http.connection_limit import IDLE_SECONDS
from cambist.http.delivery import ClientGone
from cambist.status.network import no_network

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

    `posted` are the endpoints whose question is a body. `environment` is named in the headers of every answer, error
    and page; it is empty for live prices. `counts` is where requests are counted.
    """

    path_prefix: str = ""
    cors_origin: str = "*"
    closed_max_age: timedelta = timedelta(hours=1)
    proxies: Networks = ()
    environment: str = ""
    page: PageOptions = field(default_factory=PageOptions)
    dialects: tuple[Dialect, ...] = ()
    posted: tuple[PostedEndpoint[Any, Any], ...] = ()
    counts: Counts | None = None


def build_application(
    endpoints: Iterable[Endpoint[Any, Any]], worker_state: WorkerState, meter: Meter, options: ApiOptions
) -> WorkerApplication:
    """Return the application of one worker."""
    endpoints = tuple(endpoints)
    authenticator = Authenticator(worker_state.principals, options.proxies)
    admission, settlement = Admission(authenticator, meter), Settlement(meter)
    headers = _headers_of_all(options)
    framework = _framework(worker_state, settlement, options, headers)
    faces = _add_endpoints(framework, endpoints, worker_state, (admission, settlement), options)
    framework.add_route(BULK_PATH, BulkResource(worker_state, admission, settlement, options.environment))
    for posted in options.posted:
        resource = PostedResource(posted, worker_state, admission, settlement, options.environment)
        framework.add_route(posted.path, resource)
    document = partial(_document, endpoints, options.posted, options.path_prefix)
    add_docs_routes(framework, document, options.page, options.environment, options.dialects)
    tools = McpResource(worker_state, admission, settlement, options.cors_origin, options.environment)
    framework.add_route(MCP_PATH, tools)
    directly = DirectServing(headers, options.closed_max_age, options.path_prefix, options.counts)
    direct = DirectWay(endpoints, worker_state, settlement, directly, options.dialects)
    serving_dialects = DialectServing(options.path_prefix, direct.learn_dialect)
    add_dialect_routes(
        framework,
        options.dialects,
        lambda dialect, route: DialectResource(dialect, route, worker_state, admission, settlement, serving_dialects),
    )
    add_page_routes(framework, options.page, dialect_index(options.dialects), partial(_notice, worker_state))
    posted_paths = [posted.path for posted in options.posted]
    turns = RequestTurns(authenticator, faces, options.dialects, headers, options.path_prefix, posted_paths)
    bodies = RequestBodies(authenticator, options.path_prefix, worker_state.clock, posted_paths)
    paths = DialectPaths(options.dialects)
    rewrite = paths.rewrite if paths.has_any else None
    serving = ServingOptions(headers, turns, bodies, direct, options.path_prefix, options.counts, rewrite)
    return WorkerApplication(framework, faces, settlement, worker_state.clock, serving)


def _notice(worker_state: WorkerState) -> str:
    """Return what the page tells above everything: that there is no network."""
    found = no_network(worker_state.source_reports)
    return "" if found is None else found.sentence


def _framework(
    worker_state: WorkerState, settlement: Settlement, options: ApiOptions, headers: Headers
) -> falcon.App[falcon.Request, falcon.Response]:
    """Return the web framework with what applies to all routes."""
    # The last to see a response signs it, with all its headers.
    secret = [name for dialect in options.dialects for name in dialect.key_parameters]
    signing = ReceiptMiddleware(worker_state, options.environment, secret)
    methods = _METHODS | {posted.path: POSTED_METHODS for posted in options.posted}
    completing = HeadersMiddleware(headers, settlement, methods)
    framework: falcon.App[falcon.Request, falcon.Response] = falcon.App(
        middleware=[signing, completing], router=PathRouter()
    )
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


def _add_endpoints(
    framework: falcon.App[falcon.Request, falcon.Response],
    endpoints: Sequence[Endpoint[Any, Any]],
    worker_state: WorkerState,
    checks: tuple[Admission, Settlement],
    options: ApiOptions,
) -> dict[str, JsonFace]:
    """Add the routes of all endpoints, in JSON and as tables; return their faces in JSON by path."""
    (admission, settlement), clock = checks, worker_state.clock
    paths = paths_by_parameter(endpoints)
    faces: dict[str, JsonFace] = {}
    for endpoint in endpoints:
        unknown_for = partial(unknown_of_endpoint, endpoint, paths)
        answers = EndpointAnswers(endpoint, worker_state, admission, settlement.check, options.closed_max_age)
        face = faces[endpoint.path] = JsonFace(answers, unknown_for(), admission, settlement, clock)
        if endpoint.path == CORRECTIONS:
            atom = CorrectionsAtomResource(answers, unknown_for(), admission, settlement, clock)
            framework.add_route(ATOM_PATH, atom)
        if endpoint.table is None:
            framework.add_route(endpoint.path, face)
        else:
            parts = TableParts(unknown_for, admission, settlement, clock)
            add_table_routes(framework, face, parts, options.environment)
    return faces


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
def _document(
    endpoints: tuple[Endpoint[Any, Any], ...], posted: tuple[PostedEndpoint[Any, Any], ...], path_prefix: str
) -> Json:
    """Return the OpenAPI document, built once for each set of endpoints: it takes a tenth of a second."""
    return openapi_document(endpoints, path_prefix, posted)
