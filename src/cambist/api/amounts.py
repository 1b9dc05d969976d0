"""Reading amounts of money and numbers of decimal places from a request."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from cambist.api.parameters import Param
from cambist.errors import BadParameter, shorten

SMALLEST_AMOUNT = Decimal("0.01")
MOST_PLACES = 20
_AMOUNT = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+ ]?[0-9]{1,3})?")
_MOST_EXPONENT = 308
_PLACES = re.compile(r"[0-9]{1,2}")


def amount(name: str, **rest: Any) -> Param:
    """Declare an amount from 0.01 up, with any number of digits, or in exponent form as floats are written."""
    return Param(name, _amount, schema={"type": "number", "minimum": float(SMALLEST_AMOUNT)}, **rest)


def places(name: str, **rest: Any) -> Param:
    """Declare a number of decimal places."""
    return Param(name, _places, schema={"type": "integer", "minimum": 0, "maximum": MOST_PLACES}, **rest)


def _amount(name: str, text: str) -> Decimal:
    found = _AMOUNT.fullmatch(text)
    value = Decimal(text.replace(" ", "+")) if found else Decimal(0)
    if value < SMALLEST_AMOUNT or (found and found[3] and value.adjusted() > _MOST_EXPONENT):
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}], it takes a decimal from {SMALLEST_AMOUNT} up, such as 1234.56 or 1.5E7"
        )
    return value


def _places(name: str, text: str) -> int:
    value = int(text) if _PLACES.fullmatch(text) else MOST_PLACES + 1
    if value > MOST_PLACES:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a whole number from 0 to {MOST_PLACES}")
    return value
