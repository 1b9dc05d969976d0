"""The parameter `lock`: how long a rate is to be held, or the token that holds it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

import msgspec

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

LONGEST_TOKEN = 6000
_TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_LEAST = timedelta(seconds=1)


def _parse_lock(name: str, text: str) -> timedelta | str:
    if _TOKEN.fullmatch(text) and len(text) <= LONGEST_TOKEN:
        return text
    try:
        value = msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        value = timedelta(0)
    if value < _LEAST:
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}], it takes a duration such as PT30M, or the token of a lock"
        )
    return value


Lock = Annotated[
    timedelta | str | None,
    Param(
        "lock",
        _parse_lock,
        default=None,
        description="Hold the rates for a duration such as PT30M, or use those that the token of a lock holds.",
        schema={"type": "string", "examples": ["PT30M"]},
    ),
]
