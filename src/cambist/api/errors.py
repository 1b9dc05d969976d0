"""The table that maps errors to HTTP statuses and codes, and the JSON body of an error."""

from __future__ import annotations

import logging
from typing import NamedTuple

import falcon
import msgspec
from falcon.constants import COMBINED_METHODS

from cambist import errors
from cambist.api.answer.response import Header, Response
from cambist.http.delivery import ClientGone
from cambist.http.request_parser import Environ

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
    errors.LockEnded: Problem(409, "lock_ended"),
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


def error_response(problem: Problem, sentence: str, *more: Header) -> Response:
    """Return the response that an error is."""
    headers = [("Cache-Control", "no-store"), *more]
    if problem.status == 401:
        headers.append(("WWW-Authenticate", 'Bearer realm="cambist"'))
    if problem.status == 503 and not any(name == "Retry-After" for name, _ in more):
        headers.append(("Retry-After", str(RETRY_AFTER)))
    return Response(problem.status, tuple(headers), encode_error(problem, sentence))


def told_of(error: Exception) -> Exception:
    """Return what a client is told of an error: of a database that fails, only that it does."""
    if isinstance(error, errors.StoreBroken):
        return errors.StoreBusy("The database cannot be used now", RETRY_AFTER)
    return error


def problem_of(error: Exception) -> Problem | None:
    """Return the status and code of an error; None for one that no client can cause or wait out."""
    return PROBLEMS.get(type(error)) if isinstance(error, errors.CambistError) else None


def refusal_response(environ: Environ, error: Exception) -> Response:
    """Return the response to a request that was refused, or that the service failed to answer, which is logged.

    The log has the traceback, without the query, which may contain a key; of a database that fails, one line.
    """
    if isinstance(error, errors.StoreBroken):
        log.error("%s %r failed: %s", environ["REQUEST_METHOD"], errors.shorten(environ["PATH_INFO"]), error)
    error = told_of(error)
    problem = problem_of(error)
    if problem is None:
        log.error("%s %r failed", environ["REQUEST_METHOD"], errors.shorten(environ["PATH_INFO"]), exc_info=error)
        return error_response(INTERNAL, "The service failed to answer; its operator can find the reason in the log")
    more: list[Header] = []
    if not isinstance(error, errors.KeyRefused | errors.TooManyFailedKeys):
        more.append(("X-Calls-Cost", "0"))
    if isinstance(error, errors.NotKnownThen) and error.first_edition:
        more.append(("Cambist-First-Edition", error.first_edition))
    if isinstance(error, errors.RetryLater):
        more.append(("Retry-After", str(error.retry_after)))
    return error_response(problem, str(error), *more)


def write_response(written: falcon.Response, response: Response) -> None:
    """Write a response into one of the framework."""
    written.status = response.status
    written.content_type = response.media_type
    written.data = response.body or None
    for name, value in response.headers:
        (written.append_header if name == "Vary" else written.set_header)(name, value)


def write_error(response: falcon.Response, problem: Problem, sentence: str) -> None:
    """Write an error into a response of the framework."""
    write_response(response, error_response(problem, sentence))


def handle_refusal(
    request: falcon.Request, response: falcon.Response, error: errors.CambistError, _params: object
) -> None:
    """Answer a `CambistError`."""
    write_response(response, refusal_response(request.env, error))


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
    """Answer an unexpected error with 500."""
    write_response(response, refusal_response(request.env, error))
