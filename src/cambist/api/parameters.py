"""Reading the parameters of a request.

A struct declares the parameters of an endpoint: each field is `Annotated[type, Param(…)]`. Codes are accepted in any
case, lists with spaces, empty items and repeats. If a parameter is repeated, the last non-empty value counts. Unknown
parameters are handled in `unknown_parameters`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

from msgspec import Struct

from cambist.errors import BadParameter, shorten

MAX_QUERY_LENGTH = 16_384
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ABSENT: Any = object()

S = TypeVar("S", bound=Struct)


class NoParameters(Struct, frozen=True):
    """The parameters of an endpoint that has none."""


@dataclass(frozen=True, slots=True)
class Param:
    """One query parameter: its name, how its text is read, and what stands for it when it is not given.

    `read(name, text)` gives the value or raises BadParameter. Without `default` it is required; `empty` is the
    text that stands for a present but empty one. `schema` is JSON Schema, for the docs. `selects_data` says whether it
    decides what is answered, and not only in which form or how fresh it must be.
    """

    name: str
    read: Callable[[str, str], Any]
    description: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    default: Any = _ABSENT
    empty: str = ""
    example: str = ""
    selects_data: bool = True

    @property
    def required(self) -> bool:
        """Whether a request without it is refused."""
        return self.default is _ABSENT

    def value(self, query: Mapping[str, str]) -> Any:
        """Read the parameter from a query. Errors: BadParameter."""
        text = query.get(self.name, "").strip() or (self.empty if self.name in query else "")
        if text:
            return self.read(self.name, text)
        if self.required:
            raise BadParameter(f"Missing parameter: [{self.name}]{self._hint()}")
        return self.default

    def accepts(self, text: str) -> bool:
        """Say whether a text could be its value."""
        try:
            self.read(self.name, text)
        except BadParameter:
            return False
        return True

    def _hint(self) -> str:
        return f", such as {self.name}={self.example}" if self.example else ""


def parse_query(text: str) -> dict[str, str]:
    """Split a query string into its parameters, as they were meant.

    Errors: BadParameter when it is too long, or its percent-encoding or its UTF-8 is broken.
    """
    if len(text) > MAX_QUERY_LENGTH:
        raise BadParameter(f"The query is too long: [{len(text)}] characters, at most {MAX_QUERY_LENGTH}")
    if broken := _BROKEN_ESCAPE.search(text):
        raise BadParameter(f"The query has a broken percent-encoding: [{shorten(text[broken.start() :][:3])}]")
    try:
        pairs = parse_qsl(as_utf8(text), keep_blank_values=True, errors="strict")
    except (UnicodeError, ValueError):
        raise BadParameter("The query is not UTF-8") from None
    query: dict[str, str] = {}
    for name, value in pairs:
        if value.strip() or name not in query:
            query[name] = value
    return query


def as_utf8(text: str) -> str:
    """Read raw bytes of a URL, which WSGI hands over as Latin-1, as the UTF-8 that they are. Errors: UnicodeError."""
    return text if text.isascii() else text.encode("latin-1").decode()


def declared_params(params: type[Struct]) -> dict[str, Param]:
    """Give the parameters that a struct declares, by field."""
    return _declared(params)


@cache
def _declared(params: type) -> dict[str, Param]:
    hints = get_type_hints(params, include_extras=True)
    return {name: _param(params, name, hint) for name, hint in hints.items()}


def _param(params: type, name: str, hint: Any) -> Param:
    found = [extra for extra in get_args(hint) if isinstance(extra, Param)] if get_origin(hint) is Annotated else []
    if len(found) != 1:
        raise TypeError(f"{params.__module__}.{params.__name__}.{name} must be Annotated with one Param")
    return found[0]


def read_params(params: type[S], query: Mapping[str, str]) -> S:
    """Read all parameters of an endpoint. Errors: BadParameter for the first that is wrong."""
    return params(**{name: param.value(query) for name, param in declared_params(params).items()})
