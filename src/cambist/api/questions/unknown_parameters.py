"""Parameters that a path does not accept: ignored and named in a header, or refused if they would decide the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct

from cambist.accounts.api_key import PREFIX
from cambist.api.questions.parameters import Param, declared_params
from cambist.api.questions.symbol_parameters import split_list
from cambist.errors import BadParameter, shorten
from cambist.reference.assets import kind_of
from cambist.reference.minor_units import spelled_code
from cambist.suggestions import edit_distance

IGNORED_HEADER = "Cambist-Ignored"
MAX_UNKNOWN = 30
_MAX_EDITS = 2
_MAX_NAME_LENGTH = 64
_MAX_NAMED_PATHS = 3


_CONSENSUS = "rates are agreed from all sources"
_NO_MARKUP = "rates are midpoints, without a mark-up"
_DAILY = "there is one rate for each day"
_DIGITS = "rates have ten significant digits"
DECIDING: Mapping[str, str] = {
    **dict.fromkeys(("source", "sources", "provider", "providers"), _CONSENSUS),
    **dict.fromkeys(("markup", "margin", "fee"), _NO_MARKUP),
    **dict.fromkeys(("frequency", "group"), _DAILY),
    **dict.fromkeys(("rounding", "round", "places", "decimals"), _DIGITS),
    "format": "another format has a path of its own",
}
"""Parameters by which other services choose a number or its form, and why a path that does not have them refuses them.

Whoever sends one would take what is answered for something else.
"""

_OWN_FORMATS = ("json", "1")
"""Formats that are asked for by name, and are what is answered: `1` means indented JSON elsewhere."""

_SAME = (
    frozenset({"from", "base", "source_currency", "base_code"}),
    frozenset({"to", "symbols", "quotes", "quote", "target", "targets", "currencies", "target_currency"}),
    frozenset({"date", "day", "on"}),
    frozenset({"start", "start_date", "start_at", "startdate", "from_date", "startperiod"}),
    frozenset({"end", "end_date", "end_at", "enddate", "to_date", "endperiod"}),
)
"""What the two sides of a rate and its days are called, here and elsewhere."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


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
    """Finds the parameters of a query that one path does not accept.

    `own` are its parameters by name. `paths` has the paths that accept each parameter of the interface, by name.
    `always_accepted` are names that nobody declares: the API key's. A path that is strict takes no others at all.
    """

    def __init__(
        self,
        path: str,
        own: Mapping[str, Param],
        paths: PathsByParameter,
        always_accepted: Iterable[str],
        *,
        is_strict: bool = False,
    ) -> None:
        self._path = path
        self._own = own
        self._known = frozenset((*own, *always_accepted, ""))
        # A path that selects no data answers the same whatever is requested, so few parameters are refused there.
        self._other_paths = paths if any(param.selects_data for param in own.values()) else {}
        self._is_strict = is_strict

    def ignored(self, query: Mapping[str, str]) -> list[str]:
        """Return the names of the parameters that are ignored.

        Errors: BadParameter for one that looks mistyped, that only other paths accept, or that would decide the answer
        elsewhere, and for too many. Empty parameters are never refused.
        """
        if query.keys() <= self._known:
            return []
        unknown = [name for name in query if name not in self._known]
        if len(unknown) > MAX_UNKNOWN:
            raise BadParameter(f"Too many unknown parameters: [{len(unknown)}], at most {MAX_UNKNOWN}")
        for name in unknown:
            if value := query[name].strip():
                self._check(name, value, query)
        return unknown

    def _check(self, name: str, value: str, query: Mapping[str, str]) -> None:
        shown = f"Unknown parameter: [{shorten(name)}]"
        if found := self._similar(name, value, query):
            raise BadParameter(f"{shown}, did you mean [{found}]?")
        reason, paths = DECIDING.get(name.lower()), self._other_paths.get(name.lower())
        near = sorted(paths or (), key=lambda path: path.split("/")[1] != self._path.split("/")[1])
        only = f", only by {_join_paths(near)}" if near else ""
        if reason is not None and not (name.lower() == "format" and value.lower() in _OWN_FORMATS):
            raise BadParameter(f"{shown} is not taken by {self._path}{only}: {reason}")
        if only:
            raise BadParameter(f"{shown} is not taken by {self._path}{only}")
        if self._is_strict:
            raise BadParameter(f"{shown} is not taken by {self._path}: it takes {', '.join(self._own) or 'none'}")

    def _similar(self, name: str, value: str, query: Mapping[str, str]) -> str | None:
        """Return the parameter that is meant: one that is spelled alike, else one that is called so elsewhere."""
        typed = name.lower()
        near = sorted((edit_distance(typed, param.name.lower()), param.name) for param in self._near(name, value))
        if near:
            return near[0][1]
        same: frozenset[str] = next((names for names in _SAME if typed in names and _tells(value)), frozenset())
        return next((own for own in self._own if own in same and not query.get(own)), None)

    def _near(self, name: str, value: str) -> Iterator[Param]:
        """Yield the parameters that a name may be a misspelling of: those at an edit distance of at most two.

        If that is half the length of the name, the value must be valid too: `tp=JPY` is a misspelt `to`, but
        `ts=1795175998` is not.
        """
        for param in self._own.values():
            shorter = min(len(name), len(param.name))
            if abs(len(name) - len(param.name)) > _MAX_EDITS:
                continue
            distance = edit_distance(name.lower(), param.name.lower())
            if distance <= _MAX_EDITS and (
                2 * distance < shorter or (2 * distance == shorter and param.accepts(value))
            ):
                yield param


def _tells(value: str) -> bool:
    """Return whether a value is one of codes or of a day."""
    return bool(_DAY.fullmatch(value)) or all(kind_of(spelled_code(item)) is not None for item in split_list(value))


def unknown_of_endpoint(endpoint: Declared, paths: PathsByParameter, accepted: Iterable[str] = ()) -> UnknownParameters:
    """Return what finds the unknown parameters of an endpoint."""
    own = {param.name: param for param in declared_params(endpoint.params).values()}
    return UnknownParameters(endpoint.path, own, paths, accepted)


def _join_paths(paths: list[str]) -> str:
    return ", ".join(paths[:_MAX_NAMED_PATHS]) + (" and others" if len(paths) > _MAX_NAMED_PATHS else "")


def ignored_header_value(names: Iterable[str]) -> str:
    """Return the value of the header `Cambist-Ignored`: percent-encoded names, long ones cut, and never an API key."""
    return ", ".join(_encode(name) for name in names if PREFIX not in name)


def _encode(name: str) -> str:
    text = quote(name, safe="")
    return text if len(text) <= _MAX_NAME_LENGTH else f"{text[:_MAX_NAME_LENGTH]}..."
