"""Parameters that an endpoint does not take: ignored and named, or refused where they would have changed the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from cambist.accounts.api_key import PREFIX
from cambist.api.edit_distance import edit_distance
from cambist.api.endpoint import Endpoint
from cambist.api.parameters import Param, declared_params
from cambist.errors import BadParameter, shorten

IGNORED_HEADER = "Cambist-Ignored"
MAX_UNKNOWN = 30
_MAX_EDITS = 2
_MAX_NAME_LENGTH = 64
_MAX_NAMED_PATHS = 3

PathsByParameter = Mapping[str, list[str]]
"""Which endpoints take a parameter that decides what is answered, by its name."""


def paths_by_parameter(endpoints: Iterable[Endpoint[Any, Any]]) -> PathsByParameter:
    """Find which endpoints take each parameter that decides what is answered."""
    found: dict[str, list[str]] = {}
    for endpoint in endpoints:
        for param in declared_params(endpoint.params).values():
            if param.selects_data:
                found.setdefault(param.name, []).append(endpoint.path)
    return found


class UnknownParameters:
    """Looks for what one endpoint does not take; `taken` is what decides the answers of all endpoints.

    `besides` are names that every endpoint takes and no struct declares: the key's.
    """

    def __init__(self, endpoint: Endpoint[Any, Any], taken: PathsByParameter, besides: Iterable[str]) -> None:
        self._path = endpoint.path
        self._own = {param.name: param for param in declared_params(endpoint.params).values()}
        self._known = frozenset((*self._own, *besides, ""))
        # A list is the same whatever is asked: nothing that decides another answer would have changed it.
        self._others = taken if any(param.selects_data for param in self._own.values()) else {}

    def ignored(self, query: Mapping[str, str]) -> list[str]:
        """Name the parameters of a query that nobody reads.

        Errors: BadParameter for one that was meant for another, that belongs to other endpoints, or where there are too
        many. What is empty asks for nothing.
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
        near = sorted((edit_distance(name.lower(), param.name), param.name) for param in self._near(name, value))
        if near:
            raise BadParameter(f"Unknown parameter: [{shorten(name)}], did you mean [{near[0][1]}]?")
        if paths := self._others.get(name.lower()):
            raise BadParameter(
                f"Unknown parameter: [{shorten(name)}] is not taken by {self._path}, only by {_listed(paths)}"
            )

    def _near(self, name: str, value: str) -> Iterator[Param]:
        """Give the parameters that a name may have been meant for: at most two letters of it are others.

        Where that is half of a short name it needs a value that fits: `tp=JPY` was meant for `to`, `ts=1795175998` not.
        """
        for param in self._own.values():
            shorter = min(len(name), len(param.name))
            if abs(len(name) - len(param.name)) > _MAX_EDITS:
                continue
            count = edit_distance(name.lower(), param.name)
            if count <= _MAX_EDITS and (2 * count < shorter or (2 * count == shorter and param.accepts(value))):
                yield param


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:_MAX_NAMED_PATHS]) + (" and others" if len(paths) > _MAX_NAMED_PATHS else "")


def ignored_header_value(names: Iterable[str]) -> str:
    """Write the names of ignored parameters for the header: percent-encoded, long ones cut, and never a key."""
    return ", ".join(_encoded(name) for name in names if PREFIX not in name)


def _encoded(name: str) -> str:
    text = quote(name, safe="")
    return text if len(text) <= _MAX_NAME_LENGTH else f"{text[:_MAX_NAME_LENGTH]}..."
