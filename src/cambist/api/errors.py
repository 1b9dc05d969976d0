"""The table that maps errors to HTTP statuses and codes, and the JSON body of an error."""

from __future__ import annotations

import logging
from typing import NamedTuple

import falcon
import msgspec
from falcon.constants import COMBINED_METHODS

from cambist import errors
from cambist.http.delivery import ClientGone

log = logging.getLogger(__name__)


class Problem(NamedTuple):
    """The HTTP status and the machine-readable code of an error."""

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
    errors.QuotaUnknown: Problem(503, "quota_unknown"),
    errors.TooManyFailedKeys: Problem(429, "too_many_failures"),
    errors.NoRate: Problem(404, "no_rate"),
    errors.NoRateOfType: Problem(404, "no_rate_of_type"),
    errors.NotKnownThen: Problem(404, "not_known_then"),
    errors.RateUnavailable: Problem(503, "rate_unavailable"),
    errors.ReceiptUnavailable: Problem(503, "receipt_unavailable"),
    errors.TooFewSources: Problem(503, "too_few_sources"),
    errors.StoreBusy: Problem(503, "rate_unavailable"),
}
"""Every error that a client can cause or wait out. Any other error is a 500 that reveals nothing."""

UNKNOWN_PATH = Problem(404, "unknown_path")
WRONG_METHOD = Problem(405, "wrong_method")
MALFORMED = Problem(400, "malformed_request")
INTERNAL = Problem(500, "internal")
TOO_MANY_WAITING = Problem(429, "too_many_waiting")
TOO_BUSY = Problem(503, "too_busy")
FRAMEWORK_PROBLEMS = (UNKNOWN_PATH, WRONG_METHOD, MALFORMED, INTERNAL, TOO_MANY_WAITING, TOO_BUSY)

METHODS = ("GET", "HEAD", "OPTIONS")

RETRY_AFTER = 60
"""Seconds after which a missing or stale rate may have arrived: daily sources are late by minutes, not hours."""


def encode_error(problem: Problem, sentence: str) -> bytes:
    """Return the JSON body of an error."""
    return msgspec.json.encode({"error": sentence, "code": problem.code})


def write_error(response: falcon.Response, problem: Problem, sentence: str) -> None:
    """Write an error into a response."""
    response.status = problem.status
    response.content_type = "application/json"
    response.data = encode_error(problem, sentence)
    response.set_header("Cache-Control", "no-store")
    if problem.status == 401:
        response.set_header("WWW-Authenticate", 'Bearer realm="cambist"')
    if problem.status == 503:
        response.set_header("Retry-After", str(RETRY_AFTER))


def handle_refusal(
    _request: falcon.Request, response: falcon.Response, error: errors.CambistError, _params: object
) -> None:
    """Answer a `CambistError`."""
    problem = PROBLEMS.get(type(error))
    if problem is None:
        handle_failure(_request, response, error, _params)
        return
    write_error(response, problem, str(error))
    if not isinstance(error, errors.KeyRefused | errors.TooManyFailedKeys):
        response.set_header("X-Calls-Cost", "0")
    if isinstance(error, errors.NotKnownThen) and error.first_edition:
        response.set_header("Cambist-First-Edition", error.first_edition)
    if isinstance(error, errors.RetryLater):
        response.set_header("Retry-After", str(error.retry_after))


def handle_http_error(
    request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, _params: object
) -> None:
    """Answer what Falcon refuses: unknown paths, wrong methods, malformed requests."""
    for name, value in dict(error.headers or {}).items():
        response.set_header(name, value)
    # What is no method at all is refused by the framework as malformed, though the path is known.
    if error.status_code == 405 or (error.status_code == 400 and request.method not in COMBINED_METHODS):
        response.set_header("Allow", ", ".join(METHODS))
        write_error(
            response, WRONG_METHOD, f"Method not allowed: [{errors.shorten(request.method)}], use GET, HEAD or OPTIONS"
        )
    elif error.status_code == 404:
        write_error(
            response, UNKNOWN_PATH, f"Unknown path: [{errors.shorten(request.path)}], the endpoints are listed at /docs"
        )
    else:
        write_error(response, MALFORMED, f"Malformed request: {error.description or error.title}")


def handle_departure(_request: falcon.Request, response: falcon.Response, _error: ClientGone, _params: object) -> None:
    """End the answer to a client that is gone: it is not sent."""
    response.status = "499 Client Gone"


def handle_failure(request: falcon.Request, response: falcon.Response, error: Exception, _params: object) -> None:
    """Answer an unexpected error with 500, and log its traceback, without the query, which may contain a key."""
    log.error("%s %r failed", request.method, errors.shorten(request.path), exc_info=error)
    write_error(response, INTERNAL, "The service failed to answer; its operator can find the reason in the log")
