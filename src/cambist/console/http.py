"""Requests and answers of the console over WSGI, and the headers that every answer has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from cambist.console.problems import ConsoleRefused
from cambist.web.page_security import PAGE_HEADERS, content_security_policy

MAX_BODY = 1 << 20
"""The longest body of a request in a session, in bytes."""

MAX_FORM = 8 << 10
"""The longest body of the form that signs in, which anyone may send."""

COOKIE = "cambist-console"

_HEADERS = (
    *PAGE_HEADERS,
    ("Content-Security-Policy", content_security_policy(form="'self'")),
    # A stricter policy would make browsers send the sign-in form with `Origin: null`.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


@dataclass(frozen=True, slots=True)
class ConsoleAnswer:
    """An answer: status, body, and the headers besides those that every answer has."""

    status: int
    content: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = (("Cache-Control", "no-store"),)

    def send(self, start: Any) -> Iterable[bytes]:
        """Send it over WSGI."""
        headers = [("Content-Type", self.content_type), ("Content-Length", str(len(self.content)))]
        start(f"{self.status} {HTTPStatus(self.status).phrase}", [*headers, *_HEADERS, *self.headers])
        return [self.content]


def json_answer(body: object, status: int = 200) -> ConsoleAnswer:
    """Return an answer with JSON, which nobody may store."""
    return ConsoleAnswer(status, msgspec.json.encode(body))


@dataclass(frozen=True, slots=True)
class ConsoleRequest:
    """A request."""

    method: str
    path: str
    query: Mapping[str, str]
    host: str
    origin: str
    site: str
    csrf: str
    cookie: str
    content_type: str
    is_background: bool
    body: bytes = b""

    def check_method(self, allowed: Collection[str]) -> None:
        """Refuse another method than those that its path takes. Errors: ConsoleRefused."""
        if self.method not in allowed:
            raise ConsoleRefused(405, "wrong_method", f"[{self.path}] takes {' or '.join(allowed)}")

    def check_origin(self) -> None:
        """Refuse a request that another site has sent. Errors: ConsoleRefused.

        A change must name its origin. Other ports of this machine are other origins, although browsers send the
        cookie to all of them.
        """
        own = (f"http://{self.host}", f"https://{self.host}")
        is_own = self.origin in own if self.origin or self.method != "GET" else self.site in ("", "same-origin", "none")
        if not self.host or not is_own:
            raise ConsoleRefused(403, "foreign_origin", "The console accepts requests from its own page only")


def read_request(environ: Mapping[str, Any]) -> ConsoleRequest:
    """Read a request without its body, which is read once it is known whether it is wanted."""
    return ConsoleRequest(
        method=str(environ.get("REQUEST_METHOD", "GET")),
        path=str(environ.get("PATH_INFO", "")).encode("latin-1").decode(errors="replace"),
        query=dict(parse_qsl(str(environ.get("QUERY_STRING", "")), keep_blank_values=True)),
        host=str(environ.get("HTTP_HOST", "")).lower(),
        origin=str(environ.get("HTTP_ORIGIN", "")).lower(),
        site=str(environ.get("HTTP_SEC_FETCH_SITE", "")),
        csrf=str(environ.get("HTTP_X_CSRF_TOKEN", "")),
        cookie=_cookie(str(environ.get("HTTP_COOKIE", ""))),
        content_type=str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower(),
        is_background="HTTP_X_BACKGROUND" in environ,
    )


def with_body(request: ConsoleRequest, environ: Mapping[str, Any], limit: int) -> ConsoleRequest:
    """Return a request with its body. Errors: ConsoleRefused if it is longer than `limit` bytes."""
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > limit:
        raise ConsoleRefused(413, "too_large", f"The request has {length:,} bytes; the console takes {limit:,}")
    return replace(request, body=environ["wsgi.input"].read(length)) if length > 0 else request


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
