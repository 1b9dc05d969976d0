"""Reading the query of a hot question: each parameter once, in plain characters; anything else is declined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cambist.api.answer.endpoint import Endpoint
from cambist.api.call.call import QUERY_NAME
from cambist.api.direct.declined import Declined
from cambist.api.questions.parameters import declared_params

PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,-_/=&"
"""The characters of a query that has nothing to decode."""


def is_plain_line(line: bytes) -> bool:
    """Return whether a request line is a GET of a path in HTTP/1.1."""
    return line[:5] == b"GET /" and line[-9:] == b" HTTP/1.1"


class QuestionReader:
    """Reads the parameters `names` of an endpoint, and the API key. A query with any other is declined."""

    def __init__(self, endpoint: Endpoint[Any, Any], names: Sequence[str]) -> None:
        declared = {param.name for param in declared_params(endpoint.params).values()}
        if not declared.issuperset(names):
            raise ValueError(f"{endpoint.path} does not declare {sorted({*names} - declared)}")
        self._places = {name.encode(): place for place, name in enumerate((QUERY_NAME, *names))}
        self._empty = [b""] * len(self._places)

    def read(self, query: bytes) -> list[bytes]:
        """Return the API key and the values.

        Errors: Declined or KeyError if a parameter is unknown, empty or repeated, or has to be decoded.
        """
        if query.translate(None, PLAIN):
            raise Declined
        values, places = self._empty.copy(), self._places
        for part in query.split(b"&"):
            name, _, value = part.partition(b"=")
            place = places[name]
            if values[place] or not value:
                raise Declined
            values[place] = value
        return values
