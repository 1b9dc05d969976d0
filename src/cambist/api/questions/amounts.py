"""Parameters for amounts of money and for the number of decimal places."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

MIN_AMOUNT = Decimal("0.01")
MAX_DECIMAL_PLACES = 20
_AMOUNT_PATTERN = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+ ]?[0-9]{1,3})?")
_MAX_EXPONENT = 308
_DECIMAL_PLACES = re.compile(r"[0-9]{1,2}")
_BY_CURRENCY = "currency"


def amount(name: str, **options: Any) -> Param:
    """Declare an amount of any size and sign, with any number of digits; exponents such as 1.5E7 are allowed."""
    return Param(name, read_amount, schema={"type": "number"}, **options)


def decimal_places(name: str, **options: Any) -> Param:
    """Declare a number of decimal places from 0 to 20, or None for `currency`: as many as the target has."""
    bounds = {"minimum": 0, "maximum": MAX_DECIMAL_PLACES, "pattern": f"^{_BY_CURRENCY}$"}
    schema = {"type": ["integer", "string"], **bounds}
    return Param(name, _parse_decimal_places, schema=schema, **options)


class SmallAmount(Decimal):
    """An amount below 0.01, which knows how it was written."""

    text = ""


def read_amount(name: str, text: str) -> Decimal:
    """Return an amount of any size and sign, without rounding. Errors: BadParameter."""
    value = _amount(text.strip())
    if value is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a decimal such as 1234.56, -0.5 or 1.5E7")
    if value < MIN_AMOUNT:
        small = SmallAmount(value)
        small.text = text
        return small
    return value


def _amount(text: str) -> Decimal | None:
    # A plus sign that was not percent-encoded arrives as a space: 1E+7 as "1E 7".
    match = _AMOUNT_PATTERN.fullmatch(text)
    value = Decimal(text.replace(" ", "+")) if match else None
    if value is None or not match or (match[3] and abs(value.adjusted()) > _MAX_EXPONENT):
        return None
    return value


def _parse_decimal_places(name: str, text: str) -> int | None:
    if text.lower() == _BY_CURRENCY:
        return None
    value = int(text) if _DECIMAL_PLACES.fullmatch(text) else MAX_DECIMAL_PLACES + 1
    if value > MAX_DECIMAL_PLACES:
        options = f"a whole number from 0 to {MAX_DECIMAL_PLACES}, or {_BY_CURRENCY}"
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes {options}")
    return value
