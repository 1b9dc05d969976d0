"""Writing the answers of dialects as JSON, with plain decimals: no number has an exponent."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from cambist.api.answer.rendering import number


def encode_plainly(body: object) -> bytes:
    """Return a body as JSON; a float is written by its shortest digits, a Decimal by all but trailing zeros."""
    return msgspec.json.encode(_plain(body))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return number(Decimal(text)) if "e" in (text := repr(value)) else value
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value
