"""Which parameters a route of a dialect takes, and which dialect a request speaks at a path that several have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.questions.parameters import Param
from cambist.api.questions.unknown_parameters import UnknownParameters
from cambist.errors import BadParameter

_OF_FORM = ("prettyprint", "references", "show_alternative", "show_inactive")
"""Parameters of lists of names: a list that has no others is the same whatever else is requested."""


def unknown_of_route(dialect: Dialect, route: DialectRoute) -> UnknownParameters:
    """Return what finds the parameters that a route does not take."""
    paths: dict[str, list[str]] = {}
    for each in dialect.routes:
        for name in each.parameters:
            paths.setdefault(name, []).append(each.template)
    own = {name: Param(name, _refuse, "", selects_data=name not in _OF_FORM) for name in route.parameters}
    return UnknownParameters(route.template, own, paths, dialect.key_parameters, is_strict=route.is_strict)


def _refuse(name: str, text: str) -> str:
    """Take no value for a sign that a short name is a misspelt parameter: only the route can read its values."""
    raise BadParameter(f"Invalid {name}: [{text}]")


def spoken_dialect(dialects: Sequence[Dialect], query: Mapping[str, str]) -> Dialect:
    """Return the dialect of a request: whose key it brings, or which alone has its parameters, else the first."""
    for dialect in dialects:
        if query.keys() & set(dialect.key_parameters):
            return dialect
    return max(dialects, key=lambda dialect: len(query.keys() & set(dialect.own_parameters)))
