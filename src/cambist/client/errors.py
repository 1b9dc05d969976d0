"""The errors of the client.

CambistError
├── NotConfigured     there is no key, or the address is not one
├── PackageMissing    something that was not installed is needed
├── SandboxFailed     the sandbox cannot be started
├── ConnectionFailed  nothing answers, or what answers is not Cambist
└── ServiceError      the service refuses the request
    ├── BadRequest    a parameter is missing, malformed or out of range
    │   └── UnknownSymbol  no currency, coin, metal, pair or instrument has this name
    ├── KeyRefused    the API key does not identify an active account
    ├── NotInPlan     the plan does not include the endpoint, or history that old
    ├── NotFound      there is no rate on that day, or no such path
    ├── RateLimited   too many requests in a short time
    ├── QuotaSpent    the calls of the period are spent
    ├── TooManyFailedKeys  too many requests with a wrong key from one address
    ├── Unavailable   a rate is missing or too old now; a later request may succeed
    └── ServerFailed  the service failed to answer
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class CambistError(Exception):
    """The root of all errors of the client. Its text is a sentence."""


class NotConfigured(CambistError):
    """There is no key, or the address is not one."""


class PackageMissing(CambistError, ImportError):
    """A package that was not installed is needed."""


class SandboxFailed(CambistError):
    """The sandbox cannot be started."""


class ConnectionFailed(CambistError, ConnectionError):
    """Nothing answers at the address, or what answers is not Cambist."""


class ServiceError(CambistError):
    """The service refuses the request.

    `status` is the HTTP status and `code` the word for the error, such as `unknown_currency`; `retry_after` the seconds
    after which the same request may succeed, None if the service does not say.
    """

    def __init__(self, sentence: str, status: int, code: str = "", retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class BadRequest(ServiceError):
    """A parameter is missing, malformed or out of range."""


class UnknownSymbol(BadRequest):
    """No currency, coin, metal, pair or instrument has this name."""


class KeyRefused(ServiceError):
    """The API key does not identify an active account."""


class NotInPlan(ServiceError):
    """The plan does not include the endpoint, or history that old."""


class NotFound(ServiceError):
    """There is no rate on that day, or no such path."""


class LockEnded(ServiceError):
    """The rate lock has ended; the text has the rate of now."""


class RateLimited(ServiceError):
    """Too many requests in a short time."""


class QuotaSpent(ServiceError):
    """The calls of the period are spent."""


class TooManyFailedKeys(ServiceError):
    """Too many requests with a wrong key from one address."""


class Unavailable(ServiceError):
    """A rate is missing or too old now; a later request may succeed."""


class ServerFailed(ServiceError):
    """The service failed to answer."""


_BY_CODE: Mapping[str, type[ServiceError]] = {
    "unknown_currency": UnknownSymbol,
    "unknown_metal": UnknownSymbol,
    "unknown_pair": UnknownSymbol,
    "unknown_instrument": UnknownSymbol,
    "account_suspended": KeyRefused,
    "lock_ended": LockEnded,
    "quota_spent": QuotaSpent,
    "too_many_failures": TooManyFailedKeys,
}
_BY_STATUS: Mapping[int, type[ServiceError]] = {
    400: BadRequest,
    401: KeyRefused,
    403: NotInPlan,
    404: NotFound,
    405: BadRequest,
    429: RateLimited,
    503: Unavailable,
}
_MAX_LENGTH = 1000


class _Body(msgspec.Struct):
    error: str
    code: str = ""


def service_error(status: int, content: bytes, retry_after: str | None = None) -> ServiceError:
    """Return the error that a response with this status and body stands for."""
    try:
        body = msgspec.json.decode(content, type=_Body)
    except (ValueError, RecursionError):
        body = _Body(f"The service refuses the request (HTTP {status})")
    kind = _BY_CODE.get(body.code) or error_of_status(status)
    return kind(printable(body.error), status, body.code, _seconds(retry_after))


def error_of_status(status: int) -> type[ServiceError]:
    """Return the class of an error whose code says no more than its status."""
    return _BY_STATUS.get(status) or (ServerFailed if status >= 500 else ServiceError)


def printable(text: str) -> str:
    """Return a text of the service without control characters, and cut off if it is long."""
    return (text if text.isprintable() else repr(text)[1:-1])[:_MAX_LENGTH]


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a Retry-After header; None without one, and for a date, which the service never sends."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None
