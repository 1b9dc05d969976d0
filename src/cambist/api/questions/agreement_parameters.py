"""The parameters that say what a rate must rest on: how many sources, and which type of rate."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cambist.api.questions import parameter_types
from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.history.typed_series import TYPE_NAME

MAX_SOURCES = 50
MAX_COMPARED = 50
"""For how many codes of a past day the fixings of all sources are read from the archive in one request."""


def _parse_rate_type(name: str, text: str) -> str:
    value = text.lower()
    if not TYPE_NAME.fullmatch(value):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a type of rate, such as parallel")
    return value


_min_sources = parameter_types.limit(
    "min_sources",
    MAX_SOURCES,
    default=None,
    description="Refuse (503) a rate that fewer independent sources agree on, and add `agreement`.",
)
# An example would be filled in by the reference, and refuse whoever tries it: these are only shown.
MinSources = Annotated[int | None, replace(_min_sources, schema={**_min_sources.schema, "examples": [2]})]
RateTypeName = Annotated[
    str | None,
    Param(
        "rate_type",
        _parse_rate_type,
        default=None,
        description="Only rates of this type: official, market, offshore, parallel, or a type that a source names.",
        schema={"type": "string", "pattern": f"^{TYPE_NAME.pattern}$", "examples": ["parallel"]},
    ),
]
