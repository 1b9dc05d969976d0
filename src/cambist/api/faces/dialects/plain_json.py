"""Writing the answers of dialects as JSON, with plain decimals: no number has an exponent."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from cambist.api.answer.rendering import number

_PLAIN_FROM, _PLAIN_TO = 1e-4, 1e16
"""Python writes a float between these without an exponent."""


def encode_plainly(body: object) -> bytes:
    """Return a body as JSON; a float is written by its shortest digits, a Decimal by all but trailing zeros."""
    return msgspec.json.encode(_plain(body))


def plain_rate(value: float) -> Any:
    """Return a rate as it is to be encoded: as a float, unless that would be written with an exponent."""
    return value if _PLAIN_FROM <= value < _PLAIN_TO else _without_exponent(value)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if _PLAIN_FROM <= abs(value) < _PLAIN_TO else _without_exponent(value)
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, Mapping):
        return (
            _plain_rates(value)
            if {*map(type, value.values())} == {float}
            else {name: _plain(each) for name, each in value.items()}
        )
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _plain_rates(rates: Mapping[str, float]) -> Mapping[str, Any]:
    """Return floats as `_plain` does: most objects have no number that needs to be rewritten."""
    if min(rates.values()) >= _PLAIN_FROM and max(rates.values()) < _PLAIN_TO:
        return rates
    return {code: plain_rate(rate) for code, rate in rates.items()}


def _without_exponent(value: float) -> Any:
    return number(Decimal(text)) if "e" in (text := repr(value)) else value
