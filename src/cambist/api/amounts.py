"""Reading amounts of money and numbers of decimal places from a request."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from cambist.api.parameters import Param
from cambist.errors import BadParameter, shorten

MIN_AMOUNT = Decimal("0.01")
MAX_DECIMAL_PLACES = 20
_AMOUNT = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+ ]?[0-9]{1,3})?")
_MAX_EXPONENT = 308
_PLACES = re.compile(r"[0-9]{1,2}")


def amount(name: str, **rest: Any) -> Param:
    """Declare an amount from 0.01 up, with any number of digits, or in exponent form as floats are written."""
    return Param(name, _amount, schema={"type": "number", "minimum": float(MIN_AMOUNT)}, **rest)


def places(name: str, **rest: Any) -> Param:
    """Declare a number of decimal places."""
    return Param(name, _places, schema={"type": "integer", "minimum": 0, "maximum": MAX_DECIMAL_PLACES}, **rest)


def _amount(name: str, text: str) -> Decimal:
    found = _AMOUNT.fullmatch(text)
    value = Decimal(text.replace(" ", "+")) if found else Decimal(0)
    if value < MIN_AMOUNT or (found and found[3] and value.adjusted() > _MAX_EXPONENT):
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}], it takes a decimal from {MIN_AMOUNT} up, such as 1234.56 or 1.5E7"
        )
    return value


def _places(name: str, text: str) -> int:
    value = int(text) if _PLACES.fullmatch(text) else MAX_DECIMAL_PLACES + 1
    if value > MAX_DECIMAL_PLACES:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a whole number from 0 to {MAX_DECIMAL_PLACES}")
    return value
