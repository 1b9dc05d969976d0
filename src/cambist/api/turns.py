"""Whose turn it is for a thread: what kind of work a request is, and for whom."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

from cambist.api.call.call import call_of
from cambist.api.call.credentials import Authenticator, KeyPlaces
from cambist.api.errors import TOO_BUSY, TOO_MANY_WAITING, encode_error
from cambist.api.faces.bulk import PATH as BULK_PATH
from cambist.api.faces.dialects.dialect import Dialect
from cambist.api.faces.dialects.routes import find_dialect_paths, find_series
from cambist.api.faces.mcp import PATH as MCP_PATH
from cambist.api.faces.receipts import PATH as RECEIPTS_PATH
from cambist.api.faces.tables.formats import FORMATS, accepted_format
from cambist.api.questions.parameters import parse_query
from cambist.errors import BadParameter
from cambist.http.request_parser import Environ
from cambist.http.responses import encode_response, status_line
from cambist.http.scheduler import Kind, TooManyWaiting, Work

_LONG_PATHS = frozenset({BULK_PATH, MCP_PATH, RECEIPTS_PATH})
_RETRY_SECONDS = 2
_PAGE_HEADER = "HTTP_CAMBIST_PAGE"


class RequestTurns:
    """The `Turns` protocol of the server. `paths` are those of the endpoints, and `headers` those of every answer.

    `posted` are the paths whose question is a body, which may be long. Clients see all paths below `path_prefix`.
    """

    def __init__(
        self,
        authenticator: Authenticator,
        paths: Container[str],
        dialects: Sequence[Dialect],
        headers: list[tuple[str, str]],
        path_prefix: str = "",
        posted: Iterable[str] = (),
    ) -> None:
        self._authenticator = authenticator
        self._long_paths = _LONG_PATHS.union(posted)
        self._paths = paths
        places = [dialect.key_places for dialect in dialects]
        self._places = KeyPlaces(
            tuple(name for one in places for name in one.parameters),
            tuple(scheme for one in places for scheme in one.schemes),
        )
        self._is_of_dialect = find_dialect_paths(dialects)
        self._is_series = find_series(dialects)
        self._headers = headers
        self._prefix = path_prefix

    def work_of(self, environ: Environ) -> Work:
        """Return the kind of a request and its owner: the account of its key or else the network of its client."""
        account = self._account(environ)
        owner: Hashable = self._authenticator.address_of(environ) if account is None else account
        return Work(self._kind(environ, is_known=account is not None), owner)

    def refused(self, environ: Environ, refused: TooManyWaiting) -> bytes:
        """Return the response to a request for which there is no room to wait."""
        problem = TOO_MANY_WAITING if refused.is_own else TOO_BUSY
        own = [("Cache-Control", "no-store"), ("Retry-After", str(_RETRY_SECONDS)), ("X-Calls-Cost", "0")]
        headers = [("Content-Type", "application/json"), *own, *self._headers]
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        return encode_response(
            status_line(problem.status), headers, encode_error(problem, str(refused)), is_head=is_head
        )

    def _kind(self, environ: Environ, *, is_known: bool) -> Kind:
        path = environ["PATH_INFO"].rstrip("/")
        if f"{path}/".startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix)
        if path not in self._paths and self._is_of_dialect(path):
            is_series = self._is_series(path, _query(environ))
            return Kind.LONG if is_series else Kind.CALL  # a dialect may be open to clients without a key
        if not is_known and environ.get(_PAGE_HEADER) != "1":
            return Kind.QUICK  # without a right key there are only pages and errors
        call = call_of(environ)
        if (
            (call is not None and call.is_long)
            or path in self._long_paths
            or self._is_table(path, environ.get("HTTP_ACCEPT", ""))
        ):
            return Kind.LONG
        return Kind.CALL if path in self._paths else Kind.QUICK

    def _is_table(self, path: str, accept: str) -> bool:
        stem, dot, suffix = path.rpartition(".")
        if dot and stem in self._paths and any(suffix == one.suffix for one in FORMATS):
            return True
        return path in self._paths and accepted_format(accept) is not None

    def _account(self, environ: Environ) -> int | None:
        """Return the number of the account whose key a request brings."""
        call = call_of(environ)
        if call is not None and call.principal is not None:
            return call.principal.account.number
        return self._authenticator.account_of(environ, _query(environ), self._places)


def _query(environ: Environ) -> Mapping[str, str]:
    try:
        return parse_query(environ["QUERY_STRING"])
    except BadParameter:  # whoever answers refuses it
        return {}
