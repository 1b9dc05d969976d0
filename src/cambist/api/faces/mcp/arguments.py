"""The arguments of tools: their JSON Schemas, made from the declarations of parameters, and their values as texts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

MAX_LENGTH = 200
"""The maximum length of an argument, so that answers stay short."""


def argument_schema(param: Param) -> dict[str, Any]:
    """Return the schema of an argument: that of the parameter, but decimals are texts and lists are arrays."""
    schema = {**param.schema}
    if schema.get("type") == "number":
        schema = {"type": "string"}
    item, comma, _ = schema.get("pattern", "").partition("(,")
    if comma:
        schema = {"type": "array", "items": {"type": "string", "pattern": f"{item}$"}, "minItems": 1}
    schema["description"] = param.description
    if not param.required and isinstance(param.default, str | int) and param.default != "":
        schema["default"] = param.default
    return schema


def argument_text(name: str, value: object) -> str:
    """Return the value of an argument as the text of a parameter. Errors: BadParameter."""
    text = _as_text(value)
    if text is None:
        raise BadParameter(f"Invalid {name}: [{shorten(str(value))}], it takes a text")
    if len(text) > MAX_LENGTH:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes at most {MAX_LENGTH} characters")
    return text


def _as_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return None
