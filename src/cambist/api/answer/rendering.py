"""Writing answers as JSON: every rate is a plain decimal with ten significant digits, and `ms` comes last.

Rates are written through format templates, with one call for thousands of numbers. Numbers to which the format gives
an exponent are then rewritten. Series are written by `api.series_rendering`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from cambist.pricing.number_format import SHOWN_DIGITS, TIES_UP, plain_float, trimmed, trimmed_text, without_exponents

_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_MAP = {"type": "object", "minProperties": 1, "additionalProperties": _NUMBER}

Number = Annotated[Raw, Meta(extra_json_schema={"type": "number"})]
"""A JSON number that is written with exact digits, never through a float."""

Rates = Annotated[Raw, Meta(extra_json_schema=_MAP)]
"""A JSON object of code to rate."""

Numbers = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": {"type": "number"}})]
"""A JSON object of name to number."""

RatesByCode = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": _MAP})]
"""A JSON object of code to object: of code to rate, or of date to rate."""

_NUMBER_FORMAT = f"%.{SHOWN_DIGITS}g"

_ENCODER = msgspec.json.Encoder()


def encode_without_ms(body: object) -> bytes:
    """Encode a body up to the value of its last field: `…,"ms":`."""
    return _ENCODER.encode(body)[:-1] + b',"ms":'


def decimal(value: Decimal) -> str:
    """Write a price with all its digits, including trailing zeros."""
    return format(value, "f")


def price(value: Decimal, size: int) -> Raw:
    """Write the price of `size` units without trailing zeros."""
    return Raw(trimmed(value * size))


def number(value: Decimal) -> Raw:
    """Write an amount with all its digits, without trailing zeros."""
    return Raw(trimmed(value))


def conversion(code: str, amount: str, rate: float) -> Raw:
    """Write a converted amount, with its decimals, and the rate."""
    return Raw(f'{{"{code}":{trimmed_text(amount)},"rate":{plain_float(rate)}}}')


def rates(codes: Sequence[str], values: Iterable[float]) -> Raw:
    """Write rates by code."""
    return _filled(_row_template(codes), values)


def matrix(bases: Sequence[str], quotes: Sequence[str], values: Iterable[float]) -> Raw:
    """Write rates by source and target; `values` has those of the first source first."""
    row = _row_template(quotes)
    return _filled('{"' + f'":{row},"'.join(bases) + f'":{row}}}', values)


def _row_template(codes: Sequence[str]) -> str:
    return '{"' + f'":{_NUMBER_FORMAT},"'.join(codes) + f'":{_NUMBER_FORMAT}}}'


def _filled(template: str, values: Iterable[float]) -> Raw:
    # Bytes are formatted a sixth faster than text.
    numbers = template.encode() % tuple([value * TIES_UP for value in values])
    return Raw(without_exponents(numbers) if b"e" in numbers else numbers)  # names are in upper case
