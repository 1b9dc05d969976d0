"""`POST /receipts`: an answer in its receipt, one file to keep; and the public keys that verify receipts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

import falcon
import msgspec
from msgspec import Struct

from cambist.api.call.call import CALL, call_of
from cambist.api.errors import WRONG_METHOD, write_error
from cambist.api.faces.receipts import METHODS, PATH
from cambist.api.faces.receipts.middleware import EMBEDDED
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter, shorten
from cambist.http.delivery import DELIVERY
from cambist.http.wsgi import Wsgi
from cambist.receipts.claims import MEDIA_TYPE
from cambist.receipts.signing_key import encode_key_set

_COPIED_HEADERS = ("X-Calls-Cost", "Cambist-Edition", "Cambist-Ignored", "Cambist-Unavailable", "Retry-After")
_EXAMPLE = '{"get": "/convert?from=EUR&to=USD&amount=100"}'


class ReceiptRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request for a receipt: a path and query, as a GET would have them."""

    get: str


class ReceiptsResource:
    """Answers POST: it asks the `application` the question in the body, and returns the answer in its receipt.

    `path_prefix` is that of all paths; the question may begin with it.
    """

    def __init__(self, application: Wsgi, path_prefix: str) -> None:
        self._application = application
        self._prefix = path_prefix

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with a receipt; an answer that is an error is returned as it is."""
        environ = self._question(request)
        status, headers, content = _ask(self._application, environ)
        if (call := call_of(environ)) is not None:
            request.env[CALL] = call
        response.set_header("Cache-Control", "no-store")
        for name in _COPIED_HEADERS:
            if name.lower() in headers:
                response.set_header(name, headers[name.lower()])
        receipt = environ[EMBEDDED]
        if status == 200 and not receipt:
            raise BadParameter(f"No receipt for [{shorten(environ['PATH_INFO'])}]: it is open to all, without a key")
        if status == 200:
            response.content_type = MEDIA_TYPE
            response.data = str(receipt).encode()
            return
        response.status = status
        response.content_type = headers.get("content-type", "application/json")
        response.data = content

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(METHODS))
        write_error(response, WRONG_METHOD, f"Method not allowed: use POST with {_EXAMPLE} as the body")

    on_head = on_put = on_patch = on_delete = on_get

    def _question(self, request: falcon.Request) -> dict[str, Any]:
        """Return the environ of the question in the body. Errors: BadParameter."""
        try:
            asked = msgspec.json.decode(request.bounded_stream.read(), type=ReceiptRequest).get
        except (ValueError, RecursionError) as error:
            raise BadParameter(f"The body must say what to answer, such as {_EXAMPLE}: {error}") from error
        path, _, query = asked.partition("?")
        if not path.startswith("/") or not asked.isascii() or not asked.isprintable():
            raise BadParameter(f"Invalid [get]: [{shorten(asked)}], it takes path and query, as in {_EXAMPLE}")
        path = unquote_to_bytes(path).decode("latin-1")
        if f"{path}/".startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix)
        if path.rstrip("/") == PATH:
            raise BadParameter(f"Invalid [get]: [{PATH}] has no receipt of its own; name an endpoint")
        own = request.env["QUERY_STRING"]
        return {
            **{name: value for name, value in request.env.items() if not name.startswith("cambist.")},
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": f"{query}&{own}" if own and query else query or own,
            "CONTENT_LENGTH": "0",
            "CONTENT_TYPE": "",
            "HTTP_ACCEPT": "*/*",
            "wsgi.input": BytesIO(),
            **({DELIVERY: request.env[DELIVERY]} if DELIVERY in request.env else {}),
            EMBEDDED: "",
        }


class SigningKeysResource:
    """`/.well-known/jwks.json`: the public keys of all nodes, current and former ones; open to all."""

    def __init__(self, worker_state: WorkerState) -> None:
        self._worker_state = worker_state

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the keys."""
        response.content_type = "application/jwk-set+json"
        response.set_header("Cache-Control", "public, max-age=60")
        response.data = encode_key_set(self._worker_state.readers.receipts.keys())

    on_head = on_get


def _ask(application: Wsgi, environ: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Return the status, the headers by their names in lower case, and the body of an answer."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], *_more: object) -> Callable[[bytes], object]:
        started[:] = [(status, headers)]
        return len

    body: Iterable[bytes] = application(environ, start)
    try:
        content = b"".join(body)
    finally:
        getattr(body, "close", lambda: None)()
    status, headers = started[0]
    return int(status[:3]), {name.lower(): value for name, value in headers}, content
