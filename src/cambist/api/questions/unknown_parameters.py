"""Parameters that an endpoint does not accept: ignored and named in a header, or refused if likely a mistake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct

from cambist.accounts.api_key import PREFIX
from cambist.api.questions.parameters import Param, declared_params
from cambist.errors import BadParameter, shorten
from cambist.suggestions import edit_distance

IGNORED_HEADER = "Cambist-Ignored"
MAX_UNKNOWN = 30
_MAX_EDITS = 2
_MAX_NAME_LENGTH = 64
_MAX_NAMED_PATHS = 3


class Declared(Protocol):
    """An endpoint, as it is seen here: its path, and the struct that declares its parameters."""

    @property
    def path(self) -> str:
        """Its path."""

    @property
    def params(self) -> type[Struct]:
        """The struct that declares its parameters."""


PathsByParameter = Mapping[str, list[str]]
"""The paths of the endpoints that accept a parameter, by its name; only parameters that select data."""


def paths_by_parameter(endpoints: Iterable[Declared]) -> PathsByParameter:
    """Return the paths of the endpoints that accept each parameter that selects data."""
    found: dict[str, list[str]] = {}
    for endpoint in endpoints:
        for param in declared_params(endpoint.params).values():
            if param.selects_data:
                found.setdefault(param.name, []).append(endpoint.path)
    return found


class UnknownParameters:
    """Finds the parameters of a query that one endpoint does not accept.

    `paths` has the parameters of all endpoints. `always_accepted` are names that no struct declares: the API key's.
    """

    def __init__(self, endpoint: Declared, paths: PathsByParameter, always_accepted: Iterable[str]) -> None:
        self._path = endpoint.path
        self._own = {param.name: param for param in declared_params(endpoint.params).values()}
        self._known = frozenset((*self._own, *always_accepted, ""))
        # An endpoint that selects no data answers the same whatever is requested, so no parameter is refused there.
        self._other_paths = paths if any(param.selects_data for param in self._own.values()) else {}

    def ignored(self, query: Mapping[str, str]) -> list[str]:
        """Return the names of the parameters that are ignored.

        Errors: BadParameter for one that looks mistyped or that only other endpoints accept, and for too many. Empty
        parameters are never refused.
        """
        if query.keys() <= self._known:
            return []
        unknown = [name for name in query if name not in self._known]
        if len(unknown) > MAX_UNKNOWN:
            raise BadParameter(f"Too many unknown parameters: [{len(unknown)}], at most {MAX_UNKNOWN}")
        for name in unknown:
            if value := query[name].strip():
                self._check(name, value)
        return unknown

    def _check(self, name: str, value: str) -> None:
        similar = sorted((edit_distance(name.lower(), param.name), param.name) for param in self._similar(name, value))
        if similar:
            raise BadParameter(f"Unknown parameter: [{shorten(name)}], did you mean [{similar[0][1]}]?")
        if paths := self._other_paths.get(name.lower()):
            raise BadParameter(
                f"Unknown parameter: [{shorten(name)}] is not taken by {self._path}, only by {_join_paths(paths)}"
            )

    def _similar(self, name: str, value: str) -> Iterator[Param]:
        """Yield the parameters that a name may be a misspelling of: those at an edit distance of at most two.

        If that is half the length of the name, the value must be valid too: `tp=JPY` is a misspelt `to`, but
        `ts=1795175998` is not.
        """
        for param in self._own.values():
            shorter = min(len(name), len(param.name))
            if abs(len(name) - len(param.name)) > _MAX_EDITS:
                continue
            distance = edit_distance(name.lower(), param.name)
            if distance <= _MAX_EDITS and (
                2 * distance < shorter or (2 * distance == shorter and param.accepts(value))
            ):
                yield param


def _join_paths(paths: list[str]) -> str:
    return ", ".join(paths[:_MAX_NAMED_PATHS]) + (" and others" if len(paths) > _MAX_NAMED_PATHS else "")


def ignored_header_value(names: Iterable[str]) -> str:
    """Return the value of the header `Cambist-Ignored`: percent-encoded names, long ones cut, and never an API key."""
    return ", ".join(_encode(name) for name in names if PREFIX not in name)


def _encode(name: str) -> str:
    text = quote(name, safe="")
    return text if len(text) <= _MAX_NAME_LENGTH else f"{text[:_MAX_NAME_LENGTH]}..."
