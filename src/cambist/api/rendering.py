"""Writing answers as JSON: every rate a plain decimal with ten significant digits, `ms` last.

History is written through templates, one C call for thousands of numbers; the few series whose numbers would come
out with an exponent are written one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from math import isnan
from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from cambist.history.as_of import DayRates
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.series import Series
from cambist.pricing.number_format import TIES_UP, plain, plain_float, trimmed

_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_MAP = {"type": "object", "minProperties": 1, "additionalProperties": _NUMBER}

Number = Annotated[Raw, Meta(extra_json_schema={"type": "number"})]
"""A JSON number that is written digit by digit, never through a float."""

Rates = Annotated[Raw, Meta(extra_json_schema=_MAP)]
"""A JSON object of code to rate."""

Numbers = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": {"type": "number"}})]
"""A JSON object of name to number."""

RatesByCode = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": _MAP})]
"""A JSON object of code to object: of code to rate, or of date to rate."""

_ITEM_NAME = len('"1970-01-01":')
_LAST_ITEM = date(2100, 12, 31)

_ENCODER = msgspec.json.Encoder()


def prepare() -> None:
    """Make ahead what the first series would wait for."""
    _series_items()


def encode_without_ms(body: object) -> bytes:
    """Write a body up to where its `ms` goes: `…,"ms":`."""
    return _ENCODER.encode(body)[:-1] + b',"ms":'


def decimal(value: Decimal) -> str:
    """Write a price as a decimal with all its digits, also the zeros at its end."""
    return format(value, "f")


def price(value: Decimal, size: int) -> Raw:
    """Write the price of `size` units with the digits that it has, ten of one that was turned round."""
    return Raw(trimmed(value * size))


def number(value: Decimal) -> Raw:
    """Write an amount with all its digits, without zeros that say nothing."""
    return Raw(trimmed(value))


def numbers(values: Mapping[str, Decimal]) -> Raw:
    """Write amounts by name, in their order."""
    return _object((name, trimmed(value)) for name, value in values.items())


def rates(values: Mapping[str, Fraction]) -> Raw:
    """Write exact rates by code."""
    return _object((code, plain(value)) for code, value in values.items())


def matrix(rows: Mapping[str, Mapping[str, Fraction]]) -> Raw:
    """Write exact rates by source and target."""
    return _object((code, bytes(rates(row)).decode()) for code, row in rows.items())


def day_rates(day: DayRates) -> Raw:
    """Write the rates of one day by code."""
    text = _day_template(day.codes) % tuple([value * TIES_UP for value in day.values])
    if "e" in text:  # an exponent: codes are upper case
        return _object(zip(day.codes, map(plain_float, day.values), strict=True))
    return Raw(text)


def series_by_code(series: Iterable[Series]) -> Raw:
    """Write series as target to date to rate."""
    return _object((one.pair.quote, _by_day(one)) for one in series)


def _by_day(series: Series) -> str:
    """Write a series by date; days without a rate are left out."""
    start = (series.first_day - FIRST_DAY).days
    items, values = _series_items()[start : start + len(series.values)], series.values
    if isnan(sum(values)):
        items = [item for item, value in zip(items, values, strict=True) if not isnan(value)]
        values = [value for value in values if not isnan(value)]
    text = ",".join(items) % tuple([value * TIES_UP for value in values])
    if "e" in text:
        text = ",".join([item[:_ITEM_NAME] + plain_float(value) for item, value in zip(items, values, strict=True)])
    return "{" + text + "}"


def _object(items: Iterable[tuple[str, str]]) -> Raw:
    return Raw("{" + ",".join([f'"{name}":{value}' for name, value in items]) + "}")


@lru_cache(maxsize=1024)
def _day_template(codes: tuple[str, ...]) -> str:
    return "{" + ",".join(f'"{code}":%.10g' for code in codes) + "}"


@cache
def _series_items() -> list[str]:
    """Give a template for each day that any image can hold, made once."""
    days = (_LAST_ITEM - FIRST_DAY).days + 1
    return [f'"{FIRST_DAY + timedelta(days=offset)}":%.10g' for offset in range(days)]
