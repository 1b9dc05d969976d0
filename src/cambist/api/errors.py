"""The one table from an error to a status, and the one shape in which a client sees it."""

from __future__ import annotations

import logging
from typing import NamedTuple

import falcon
import msgspec

from cambist import errors

log = logging.getLogger(__name__)


class Problem(NamedTuple):
    """What a client sees of an error: the HTTP status and the machine-readable code."""

    status: int
    code: str


PROBLEMS: dict[type[errors.CambistError], Problem] = {
    errors.BadParameter: Problem(400, "bad_parameter"),
    errors.UnknownSymbol: Problem(400, "unknown_currency"),
    errors.UnknownMetal: Problem(400, "unknown_metal"),
    errors.UnknownCryptoPair: Problem(400, "unknown_pair"),
    errors.UnknownFxPair: Problem(400, "unknown_pair"),
    errors.UnknownInstrument: Problem(400, "unknown_instrument"),
    errors.KeyMissing: Problem(401, "key_missing"),
    errors.KeyMalformed: Problem(401, "key_malformed"),
    errors.KeyUnknown: Problem(401, "key_unknown"),
    errors.KeyEnded: Problem(401, "key_ended"),
    errors.KeysDiffer: Problem(401, "keys_differ"),
    errors.AccountSuspended: Problem(403, "account_suspended"),
    errors.NotInPlan: Problem(403, "not_in_plan"),
    errors.RateLimited: Problem(429, "rate_limited"),
    errors.QuotaSpent: Problem(429, "quota_spent"),
    errors.TooManyFailedKeys: Problem(429, "too_many_failures"),
    errors.NoRate: Problem(404, "no_rate"),
    errors.RateUnavailable: Problem(503, "rate_unavailable"),
}
"""Every refusal. What is not here is our fault: a 500 that says nothing of the inside."""

UNKNOWN_PATH = Problem(404, "unknown_path")
WRONG_METHOD = Problem(405, "wrong_method")
MALFORMED = Problem(400, "malformed_request")
INTERNAL = Problem(500, "internal")
FRAMEWORK_PROBLEMS = (UNKNOWN_PATH, WRONG_METHOD, MALFORMED, INTERNAL)

METHODS = ("GET", "HEAD", "OPTIONS")

RETRY_AFTER = 60
"""Seconds after which a missing or stale rate may be there: daily sources come late by minutes, not hours."""


def body(problem: Problem, sentence: str) -> bytes:
    """Write the one error shape."""
    return msgspec.json.encode({"error": sentence, "code": problem.code})


def write(response: falcon.Response, problem: Problem, sentence: str) -> None:
    """Put an error into a response."""
    response.status = problem.status
    response.content_type = "application/json"
    response.data = body(problem, sentence)
    response.set_header("Cache-Control", "no-store")
    if problem.status == 401:
        response.set_header("WWW-Authenticate", 'Bearer realm="cambist"')
    if problem.status == 503:
        response.set_header("Retry-After", str(RETRY_AFTER))


def handle_refusal(
    _request: falcon.Request, response: falcon.Response, error: errors.CambistError, _params: object
) -> None:
    """Answer an error of ours."""
    problem = PROBLEMS.get(type(error))
    if problem is None:
        handle_failure(_request, response, error, _params)
        return
    write(response, problem, str(error))
    if not isinstance(error, errors.KeyRefused | errors.TooManyFailedKeys):
        response.set_header("X-Calls-Cost", "0")
    if isinstance(error, errors.RetryLater):
        response.set_header("Retry-After", str(error.retry_after))


def handle_http_error(
    request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, _params: object
) -> None:
    """Answer what the framework refuses: paths and methods that are not there, requests that are not HTTP."""
    for name, value in dict(error.headers or {}).items():
        response.set_header(name, value)
    if error.status_code == 405 or request.method not in METHODS:
        response.set_header("Allow", ", ".join(METHODS))
        write(
            response, WRONG_METHOD, f"Method not allowed: [{errors.shorten(request.method)}], use GET, HEAD or OPTIONS"
        )
    elif error.status_code == 404:
        write(
            response, UNKNOWN_PATH, f"Unknown path: [{errors.shorten(request.path)}], the endpoints are listed at /docs"
        )
    else:
        write(response, MALFORMED, f"Malformed request: {error.description or error.title}")


def handle_failure(request: falcon.Request, response: falcon.Response, error: Exception, _params: object) -> None:
    """Answer a fault of ours, and log it with its trace but without the query, which may hold a key."""
    log.error("%s %r failed", request.method, errors.shorten(request.path), exc_info=error)
    write(response, INTERNAL, "The service failed to answer; its operator finds the reason in the log")
