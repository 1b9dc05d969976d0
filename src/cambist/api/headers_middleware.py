"""The headers of every response, and the answers to preflight requests of browsers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import falcon

from cambist.api.call.call import call_of
from cambist.api.call.settlement import Settlement
from cambist.api.errors import METHODS
from cambist.web.page_security import DEFAULT_POLICY, PAGE_HEADERS

_ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type"
_REQUESTED_HEADERS = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z, ]{1,1000}")
Headers = list[tuple[str, str]]


class HeadersMiddleware:
    """Adds the headers of every response and the state of the meter, and answers preflight requests of browsers.

    `methods` are those of the paths that have others than endpoints.
    """

    def __init__(
        self, headers: Headers, settlement: Settlement, methods: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._methods = methods or {}
        self._headers = headers
        self._settlement = settlement

    def process_request(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer a preflight request, whatever its path: what exists there is for the request itself to find out."""
        if request.method != "OPTIONS":
            return
        methods = ", ".join(self._methods.get(request.path, METHODS))
        requested = request.env.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "").strip()
        response.status = 204
        response.set_header("Allow", methods)
        response.set_header("Access-Control-Allow-Methods", methods)
        # A star would leave out Authorization, so browsers are allowed the very headers that they ask for.
        response.set_header(
            "Access-Control-Allow-Headers", requested if _REQUESTED_HEADERS.fullmatch(requested) else _ALLOWED_HEADERS
        )
        response.set_header("Access-Control-Max-Age", "86400")
        response.complete = True

    def process_response(
        self, request: falcon.Request, response: falcon.Response, _resource: object, *_succeeded: bool
    ) -> None:
        """Complete a response before it is sent."""
        for name, value in self._headers:
            (response.append_header if name == "Vary" else response.set_header)(name, value)
        if (response.content_type or "").startswith("text/html"):
            _secure_page(response)
        call = call_of(request.env)
        if call is not None:
            response.set_headers(self._settlement.headers(call))


def _secure_page(response: falcon.Response) -> None:
    """Add the security headers of pages; one that loads anything has its own content security policy already."""
    for name, value in PAGE_HEADERS:
        response.set_header(name, value)
    if response.get_header("Content-Security-Policy") is None:
        response.set_header("Content-Security-Policy", DEFAULT_POLICY)
