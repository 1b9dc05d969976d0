"""Reading the parameters of a request.

A struct declares the parameters of an endpoint: each field is `Annotated[type, Param(…)]`. Codes are accepted in any
case, lists with spaces, empty items and repeats. If a parameter is repeated, the last non-empty value counts. Unknown
parameters are handled in `unknown_parameters`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints
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
    """One query parameter: its name, how its text is parsed, and its default.

    `parse(name, text)` returns the value or raises BadParameter. A parameter without `default` is required; `empty`
    replaces the text of one that is present but empty. `values` are texts that are valid as they are, without `parse`.
    `schema` is its JSON Schema in the OpenAPI document.
    `selects_data` is false for a parameter that only affects the format of the answer or how fresh it must be.
    """

    name: str
    parse: Callable[[str, str], Any]
    description: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    default: Any = _ABSENT
    empty: str = ""
    example: str = ""
    selects_data: bool = True
    values: Container[str] = ()

    @property
    def required(self) -> bool:
        """Whether a request without it is refused."""
        return self.default is _ABSENT

    def read(self, query: Mapping[str, str]) -> Any:
        """Read the parameter from a query. Errors: BadParameter."""
        text = query.get(self.name)
        if text is not None and (text := text.strip() or self.empty):
            return text if text in self.values else self.parse(self.name, text)
        if self.required:
            raise BadParameter(f"Missing parameter: [{self.name}]{self._hint()}")
        return self.default

    def accepts(self, text: str) -> bool:
        """Return whether a text is a valid value."""
        try:
            self.parse(self.name, text)
        except BadParameter:
            return False
        return True

    def _hint(self) -> str:
        return f", such as {self.name}={self.example}" if self.example else ""


def parse_query(text: str) -> dict[str, str]:
    """Split a query string. Errors: BadParameter if it is too long, or its percent-encoding or UTF-8 is broken."""
    if len(text) > MAX_QUERY_LENGTH:
        raise BadParameter(f"The query is too long: [{len(text)}] characters, at most {MAX_QUERY_LENGTH}")
    if text.isascii() and "%" not in text and "+" not in text:
        return _split_query(text)
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


def _split_query(text: str) -> dict[str, str]:
    """Split a query in which nothing is encoded, with the result that `parse_query` has for any other."""
    query: dict[str, str] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if part and (name not in query or value.strip()):
            query[name] = value
    return query


def as_utf8(text: str) -> str:
    """Decode a part of a URL as UTF-8; WSGI passes its bytes decoded as Latin-1. Errors: UnicodeError."""
    return text if text.isascii() else text.encode("latin-1").decode()


def declared_params(params: type[Struct]) -> dict[str, Param]:
    """Return the parameters that a struct declares, by field."""
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


class ParamsReader(Generic[S]):
    """Reads all parameters of an endpoint into its struct; prepared once, for it is part of every answer."""

    def __init__(self, params: type[S]) -> None:
        declared = declared_params(params)
        self._params = params
        self._declared = declared
        self._fields = {param.name: (field, param) for field, param in declared.items()}
        self._defaults = {field: param.default for field, param in declared.items() if not param.required}
        self.names = frozenset(self._fields)

    def read(self, query: Mapping[str, str]) -> S:
        """Read the parameters of a query; others are ignored. Errors: BadParameter for the first that is invalid."""
        try:
            values = self._read_present(query)
        except BadParameter:
            values = {}
        if len(values) < len(self._fields):  # one is missing or invalid: the first as they are declared is reported
            values = {field: param.read(query) for field, param in self._declared.items()}
        return self._params(**values)

    def _read_present(self, query: Mapping[str, str]) -> dict[str, Any]:
        values = self._defaults.copy()
        for name, text in query.items():
            found = self._fields.get(name)
            if found is not None and (text := text.strip() or found[1].empty):
                field, param = found
                values[field] = text if text in param.values else param.parse(name, text)
        return values
