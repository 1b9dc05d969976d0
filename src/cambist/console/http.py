"""What the console reads and checks of a request, and how it answers, besides what Falcon does."""

from __future__ import annotations

import falcon
import msgspec

from cambist.console.problems import ConsoleRefused

MAX_BODY = 1 << 20
"""The longest body of a request in a session, in bytes."""

MAX_FORM = 8 << 10
"""The longest body of the form that signs in, which anyone may send."""

COOKIE = "cambist-console"


def check_origin(request: falcon.Request) -> None:
    """Refuse a request that another site has sent. Errors: ConsoleRefused.

    A change must name its origin. Other ports of this machine are other origins, although browsers send the
    cookie to all of them.
    """
    host, origin = (request.env.get(name, "").lower() for name in ("HTTP_HOST", "HTTP_ORIGIN"))
    if origin or request.method != "GET":
        is_own = origin in (f"http://{host}", f"https://{host}")
    else:
        is_own = request.env.get("HTTP_SEC_FETCH_SITE", "") in ("", "same-origin", "none")
    if not host or not is_own:
        raise ConsoleRefused(403, "foreign_origin", "The console accepts requests from its own page only")


def read_body(request: falcon.Request, limit: int) -> bytes:
    """Return the body of a request. Errors: ConsoleRefused if it is longer than `limit` bytes."""
    try:
        length = int(request.env.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > limit:
        raise ConsoleRefused(413, "too_large", f"The request has {length:,} bytes; the console takes {limit:,}")
    return request.stream.read(length) if length > 0 else b""


def session_cookie(request: falcon.Request) -> str:
    """Return the cookie of the session; empty if there is none."""
    return request.cookies.get(COOKIE, "")


def write_json(response: falcon.Response, body: object, status: int = 200) -> None:
    """Answer with JSON."""
    response.status, response.content_type, response.data = status, falcon.MEDIA_JSON, msgspec.json.encode(body)
