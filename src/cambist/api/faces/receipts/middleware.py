"""The parameter `receipt`: an answer of any endpoint with its receipt in a header."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote

import falcon
from msgspec import UNSET

from cambist.api.call.call import QUERY_NAME, call_of
from cambist.api.faces.receipts import PARAMETER, PATH
from cambist.api.faces.receipts.question import split_receipt, stated_path, stated_query
from cambist.api.questions.unknown_parameters import IGNORED_HEADER
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter
from cambist.http.file_body import FileBody
from cambist.receipts.claims import HEADER, ReceiptClaims, encode_content, hash_content

EMBEDDED = "cambist.receipt.embedded"
"""The key in the environ of a request whose receipt contains the answer; there the receipt is left."""

EDITION_HEADER = "Cambist-Edition"

MAX_QUERY_LENGTH = 1500
"""The longest query that a receipt in a header may repeat: proxies allow 4 KB for all headers of an answer."""

_ASKED = "cambist.receipt"
_METHODS = ("GET", "POST")
_REFUSED = (401, 429)
"""Nothing was looked at before these: there is nothing to sign."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as it will be signed."""

    query: str
    body_hash: str = ""


class ReceiptMiddleware:
    """Signs answers to authenticated requests that ask for it, errors included.

    `key_parameters` are the query parameters that may bring an API key.
    """

    def __init__(self, worker_state: WorkerState, environment: str, key_parameters: Iterable[str] = ()) -> None:
        self._worker_state = worker_state
        self._environment = environment
        self._secret = frozenset((QUERY_NAME, *key_parameters))

    def process_request(self, request: falcon.Request, _response: falcon.Response) -> None:
        """Take the parameter out of a request, and see to it that its answer can be signed, before it costs anything.

        Errors: BadParameter for a query that is too long, ReceiptUnavailable.
        """
        environ = request.env
        query = environ["QUERY_STRING"]
        if PARAMETER not in query and (EMBEDDED not in environ) and "%" not in query:
            return
        is_asked, environ["QUERY_STRING"] = split_receipt(query)
        is_embedded = EMBEDDED in environ
        if not (is_asked or is_embedded) or request.method not in _METHODS or environ["PATH_INFO"] == PATH:
            return
        stated = stated_query(environ["QUERY_STRING"], self._secret)
        if not is_embedded and len(stated) > MAX_QUERY_LENGTH:
            raise BadParameter(
                f"The query is too long for a receipt in a header: [{len(stated)}] characters, at most "
                f"{MAX_QUERY_LENGTH}; ask with POST {PATH}"
            )
        # The signed bytes are those of the answer as it is, so it is sent neither compressed nor as "not modified".
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        environ.pop("HTTP_IF_NONE_MATCH", None)
        self._worker_state.readers.receipts.prepare()
        environ[_ASKED] = _Question(stated, _body_hash(environ))

    def process_response(
        self, request: falcon.Request, response: falcon.Response, _resource: object, *_succeeded: bool
    ) -> None:
        """Sign an answer. Errors: ReceiptUnavailable."""
        environ = request.env
        question: _Question | None = environ.get(_ASKED)
        call = call_of(environ)
        if question is None or call is None or call.principal is None or response.status_code in _REFUSED:
            return
        content = _content(response)
        ignored = {unquote(name.strip()) for name in (response.get_header(IGNORED_HEADER) or "").split(",")}
        signer = self._worker_state.readers.receipts
        claims = ReceiptClaims(
            iss=signer.issuer,
            iat=int(self._worker_state.clock()),
            method=request.method,
            path=stated_path(environ["PATH_INFO"]),
            query=stated_query(question.query, ignored),
            status=response.status_code,
            content_type=response.content_type or "application/json",
            sha256=hash_content(content),
            length=len(content),
            request_sha256=question.body_hash or UNSET,
            edition=response.get_header(EDITION_HEADER) or UNSET,
            environment=self._environment or UNSET,
            body=encode_content(content) if EMBEDDED in environ else UNSET,
        )
        receipt = signer.sign(claims)
        if EMBEDDED in environ:
            environ[EMBEDDED] = receipt
        else:
            response.set_header(HEADER, receipt)


def _body_hash(environ: dict[str, Any]) -> str:
    """Return the hash of a request's body, which remains to be read; empty if it has none."""
    body = environ["wsgi.input"]
    content = body.read(int(environ.get("CONTENT_LENGTH") or 0))
    body.seek(0)
    return hash_content(content) if content else ""


def _content(response: falcon.Response) -> bytes:
    """Return the body of a response; one in a file remains to be sent."""
    if response.stream is not None:
        return cast(FileBody, response.stream).content()
    return response.render_body() or b""
