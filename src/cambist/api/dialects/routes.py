"""Adding the routes of dialects to the web framework, and the list of dialects at `/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import falcon
import msgspec

from cambist import __version__
from cambist.api.dialects.dialect import Dialect, DialectRoute
from cambist.api.dialects.resource import DialectResource, UnknownDialectPath


def add_dialect_routes(
    framework: falcon.App[falcon.Request, falcon.Response],
    dialects: Iterable[Dialect],
    resource_for: Callable[[Dialect, DialectRoute], DialectResource],
) -> None:
    """Add every route, and for the folders that a dialect has for itself its own error for unknown paths."""
    for dialect in dialects:
        for route in dialect.routes:
            framework.add_route(route.template, resource_for(dialect, route))
        for folder in sorted(_folders(dialect)):
            framework.add_sink(UnknownDialectPath(dialect), f"/{folder}/")


def _folders(dialect: Dialect) -> set[str]:
    """Return the first parts of the templates that have more than one part."""
    parts = [route.template.strip("/").split("/") for route in dialect.routes]
    return {first for first, *rest in parts if rest and "{" not in first}


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
