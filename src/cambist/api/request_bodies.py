"""Which requests may send a body, judged by their heads alone: nothing is read for a client without a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cambist.api.call.credentials import Authenticator
from cambist.api.faces.bulk import PATH as BULK_PATH
from cambist.api.faces.mcp import PATH as MCP_PATH
from cambist.api.faces.receipts import PATH as RECEIPTS_PATH
from cambist.api.questions.parameters import parse_query
from cambist.errors import CambistError
from cambist.http.request_parser import MAX_BODY_BYTES, Environ

MAX_QUESTION_BYTES = 32 * 1024
"""The longest body of a question for a receipt. It is read without a key, because the key may be in the question."""

_WITH_KEY = frozenset({BULK_PATH, MCP_PATH})


class RequestBodies:
    """Decides how long the body of a request may be.

    `prefix` is that of the paths, and `posted` are those whose question is a body; `clock` returns seconds.
    """

    def __init__(
        self, authenticator: Authenticator, prefix: str, clock: Callable[[], float], posted: Iterable[str] = ()
    ) -> None:
        self._authenticator = authenticator
        self._prefix = prefix
        self._clock = clock
        self._with_key = _WITH_KEY.union(posted)

    def limit(self, environ: Environ) -> int:
        """Return the most bytes of a body; 0 if the request is answered, and mostly refused, without it."""
        if environ["REQUEST_METHOD"] != "POST":
            return 0
        path = environ["PATH_INFO"]
        if self._prefix and path.startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix)
        path = path.rstrip("/")
        if path == RECEIPTS_PATH:
            return MAX_QUESTION_BYTES
        if path not in self._with_key:
            return 0
        return MAX_BODY_BYTES if self._has_key(environ) else 0

    def _has_key(self, environ: Environ) -> bool:
        try:
            query = parse_query(environ["QUERY_STRING"])
        except CambistError:
            return False
        return self._authenticator.would_admit(environ, query, self._clock())
