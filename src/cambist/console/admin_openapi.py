"""The OpenAPI document of the admin API, generated from its routes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from cambist import __version__
from cambist.console.actions import Route

_ERROR = {
    "type": "object",
    "required": ["error", "code"],
    "properties": {"error": {"type": "string"}, "code": {"type": "string"}},
}
_REFUSALS = {400: "The request is wrong", 401: "The token is missing or wrong", 503: "The database cannot be used"}
_JSON = "application/json"


def admin_document(routes: Sequence[Route], prefix: str) -> dict[str, Any]:
    """Return the document of routes below a path."""
    bodies = [route.body for route in routes if route.body]
    _, schemas = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Cambist admin API",
            "version": __version__,
            "description": "What the console and the commands do, for programs of the operator.",
        },
        "servers": [{"url": prefix}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**{name.lstrip("_"): schema for name, schema in schemas.items()}, "Error": _ERROR},
        },
    }
    # The classes of bodies are private to their modules: their names lose the mark of that.
    named: dict[str, Any] = msgspec.json.decode(
        re.sub(rb'(schemas/|"title":")_', rb"\1", msgspec.json.encode(document))
    )
    return named


def _operation(route: Route) -> dict[str, Any]:
    named = re.findall(r"{(\w+)}", route.path)
    words = [word for word in re.split(r"\W+", route.path) if word and word not in named]
    parameters = [*_parameters("path", named), *_parameters("query", route.query)]
    operation: dict[str, Any] = {
        "operationId": "_".join([route.method.lower(), *words, *(f"by_{name}" for name in named)]),
        "summary": route.summary,
        "tags": [words[0]],
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            str(route.status): {
                "description": HTTPStatus(route.status).phrase,
                "content": {_JSON: {"schema": {"type": "object"}}},
            },
            **{str(status): _refusal(text) for status, text in _REFUSALS.items()},
        },
    }
    if route.body:
        (schema,), _ = msgspec.json.schema_components([route.body], ref_template="#/components/schemas/{name}")
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": schema}}}
    return operation


def _parameters(place: str, names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}} for name in names]


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}}
