"""Adding the routes of dialects to the web framework, and the list of dialects at `/`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import falcon
import msgspec
from falcon.routing.converters import BaseConverter

from cambist import __version__
from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.dialect_resource import DialectResource, SharedPath, UnknownDialectPath

_PERIOD = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(\.\.([0-9]{4}-[0-9]{2}-[0-9]{2})?)?")


class PeriodConverter(BaseConverter):
    """Matches a day, or two with two dots between them; a template has it as `{name:period}`."""

    def convert(self, value: str) -> str | None:
        """Return the text if it has the form of a day or a period, so that other paths are left to others."""
        return value if _PERIOD.fullmatch(value) else None


def add_dialect_routes(
    framework: falcon.App[falcon.Request, falcon.Response],
    dialects: Iterable[Dialect],
    resource_for: Callable[[Dialect, DialectRoute], DialectResource],
) -> None:
    """Add every route, and for the folders that a dialect has for itself its own error for unknown paths."""
    framework.router_options.converters["period"] = PeriodConverter
    spoken = list(dialects)
    having: dict[str, list[tuple[Dialect, DialectRoute]]] = {}
    for dialect in spoken:
        for route in dialect.routes:
            having.setdefault(route.template, []).append((dialect, route))
    for template, found in having.items():
        resources = {dialect.name: resource_for(dialect, route) for dialect, route in found}
        shared = SharedPath(resources, [dialect for dialect, _ in found])
        framework.add_route(template, shared if len(found) > 1 else resources[found[0][0].name])
    for dialect in spoken:
        for folder in sorted(_folders(dialect)):
            framework.add_sink(UnknownDialectPath(dialect), f"/{folder}/")


def _folders(dialect: Dialect) -> set[str]:
    """Return the first parts of the templates that have more than one part."""
    parts = [route.template.strip("/").split("/") for route in dialect.routes]
    return {first for first, *rest in parts if rest and "{" not in first}


def find_dialect_paths(dialects: Iterable[Dialect]) -> Callable[[str], bool]:
    """Return what tells from a path whether it may be one of a dialect: by its first part."""
    folders = {route.template.strip("/").partition("/")[0] for dialect in dialects for route in dialect.routes}
    has_days = "{period:period}" in folders

    def is_of_dialect(path: str) -> bool:
        folder = path.strip("/").partition("/")[0]
        return folder in folders or (has_days and _PERIOD.fullmatch(folder) is not None)

    return is_of_dialect


def find_series(dialects: Iterable[Dialect]) -> Callable[[str, Mapping[str, str]], bool]:
    """Return what tells from a path and a query whether a dialect answers them with a series of days."""
    routes = [route for dialect in dialects for route in dialect.routes if route.series_with is not None]
    found = [(re.compile(re.sub(r"{[^}]*}", "[^/]+", route.template)), route.series_with or ()) for route in routes]

    def is_series(path: str, query: Mapping[str, str]) -> bool:
        if ".." in path:
            return True
        whole = path.rstrip("/")
        return any(
            pattern.fullmatch(whole) and (not names or not query.keys().isdisjoint(names)) for pattern, names in found
        )

    return is_series


def dialect_index(dialects: Iterable[Dialect]) -> bytes | None:
    """Return what `/` answers to programs: the dialects that are on, as JSON; None if none is on."""
    listed = [
        {
            "name": dialect.name,
            "title": dialect.title,
            "paths": [route.template for route in dialect.routes],
        }
        for dialect in dialects
    ]
    if not listed:
        return None
    return msgspec.json.encode({"service": "cambist", "version": __version__, "docs": "/docs", "dialects": listed})
