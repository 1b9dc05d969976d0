"""The arguments of tools: their JSON Schemas, made from the declarations of parameters, and their values as texts."""

from __future__ import annotations

from collections.abc import Container
from decimal import Decimal
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

MAX_LENGTH = 200
"""The maximum length of an argument, so that answers stay short."""

_TARGETS = ("to", "target", "targets", "quote", "quotes", "symbols", "to_currency", "target_currency", "quote_currency")
_SYNONYMS = (
    ("from", "metal", "base", "source", "from_currency", "base_currency", "source_currency"),
    (*_TARGETS, "currency", "currencies"),
    ("amount", "value", "quantity"),
    ("date", "day"),
    ("start", "start_date"),
    ("end", "end_date"),
    ("search", "query", "name"),
    ("precision", "decimals"),
)
"""Names of other services for the same argument. Of each group a tool has one at most."""


def meant_argument(name: str, known: Container[str]) -> str | None:
    """Return the argument of a tool that a name stands for; None if there is none."""
    if name in known:
        return name
    group = next((group for group in _SYNONYMS if name in group), ())
    return next((each for each in group if each in known), None)


def argument_schema(param: Param) -> dict[str, Any]:
    """Return the schema of an argument: that of the parameter, but decimals are texts and lists are arrays.

    Without patterns and examples: the refusal of a value says more to a model, and only if there is one.
    """
    schema = {**param.schema}
    if schema.get("type") == "number":
        schema = {"type": "string"}
    if "(," in schema.get("pattern", ""):
        schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    for key in ("pattern", "examples"):
        schema.pop(key, None)
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
