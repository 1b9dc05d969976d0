"""The JSON Schemas of answers and questions, as the OpenAPI document has them."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

import msgspec

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.posted_endpoint import PostedEndpoint

Json = dict[str, Any]
_MS: Json = {"type": "integer", "minimum": 0, "description": "Time to answer, in milliseconds."}


def join_lines(text: str) -> str:
    """Remove indentation and line breaks from a docstring: Markdown gives both a meaning."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n"))


def _join_description_lines(schemas: Json) -> None:
    """Join the lines of the descriptions of schemas, which are docstrings."""
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = join_lines(schema["description"])


def _allow_numbers(schema: Any) -> None:
    """Say that a decimal in a question may be a number, or a text that has all its digits."""
    if isinstance(schema, dict):
        if schema.get("format") == "decimal":
            schema["type"] = ["number", "string"]
            del schema["format"]
        for inner in schema.values():
            _allow_numbers(inner)
    elif isinstance(schema, list):
        for inner in schema:
            _allow_numbers(inner)


def with_ms(body: Json, schemas: Json) -> Json:
    """Inline a body's schema and add the `ms` that every answer ends with."""
    schema = {**schemas[body["$ref"].rpartition("/")[2]]}
    schema["properties"] = {**schema["properties"], "ms": _MS}
    schema["required"] = [*schema["required"], "ms"]
    return schema


def schemas_of(
    endpoints: Sequence[Endpoint[Any, Any]], posted: Sequence[PostedEndpoint[Any, Any]]
) -> tuple[Sequence[Json], Json]:
    """Return references to the bodies of answers and then of questions, and all schemas by name."""
    answers = [*(each.body for each in endpoints), *(each.body for each in posted)]
    bodies, schemas = msgspec.json.schema_components(
        [*answers, *(each.question for each in posted)], ref_template="#/components/schemas/{name}"
    )
    _join_description_lines(schemas)
    _allow_numbers(schemas)
    return bodies, schemas
