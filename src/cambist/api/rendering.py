"""Writing answers as JSON: every rate is a plain decimal with ten significant digits, and `ms` comes last.

Rates of past days are written through format templates, with one call for thousands of numbers. If one number of a
series would have an exponent, the numbers of that series are written one by one.
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
"""A JSON number that is written with exact digits, never through a float."""

Rates = Annotated[Raw, Meta(extra_json_schema=_MAP)]
"""A JSON object of code to rate."""

Numbers = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": {"type": "number"}})]
"""A JSON object of name to number."""

RatesByCode = Annotated[Raw, Meta(extra_json_schema={**_MAP, "additionalProperties": _MAP})]
"""A JSON object of code to object: of code to rate, or of date to rate."""

_DATE_KEY_LENGTH = len('"1970-01-01":')
_LAST_DAY = date(2100, 12, 31)

_ENCODER = msgspec.json.Encoder()


def prepare() -> None:
    """Build the templates before the first request needs them."""
    _series_templates()


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


def numbers(values: Mapping[str, Decimal]) -> Raw:
    """Write amounts by name, in the given order."""
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
    if "e" in text:  # a number has an exponent; codes are upper case
        return _object(zip(day.codes, map(plain_float, day.values), strict=True))
    return Raw(text)


def series_by_code(series: Iterable[Series]) -> Raw:
    """Write series as an object of target to date to rate."""
    return _object((one.pair.quote, _rates_by_day(one)) for one in series)


def _rates_by_day(series: Series) -> str:
    """Write a series as an object of date to rate; days without a rate are left out."""
    start = (series.first_day - FIRST_DAY).days
    templates, values = _series_templates()[start : start + len(series.values)], series.values
    if isnan(sum(values)):
        templates = [template for template, value in zip(templates, values, strict=True) if not isnan(value)]
        values = [value for value in values if not isnan(value)]
    text = ",".join(templates) % tuple([value * TIES_UP for value in values])
    if "e" in text:
        dates = [template[:_DATE_KEY_LENGTH] for template in templates]
        text = ",".join([date + plain_float(value) for date, value in zip(dates, values, strict=True)])
    return "{" + text + "}"


def _object(items: Iterable[tuple[str, str]]) -> Raw:
    return Raw("{" + ",".join([f'"{name}":{value}' for name, value in items]) + "}")


@lru_cache(maxsize=1024)
def _day_template(codes: tuple[str, ...]) -> str:
    return "{" + ",".join(f'"{code}":%.10g' for code in codes) + "}"


@cache
def _series_templates() -> list[str]:
    """Return a template for each day that a rate matrix can have."""
    days = (_LAST_DAY - FIRST_DAY).days + 1
    return [f'"{FIRST_DAY + timedelta(days=offset)}":%.10g' for offset in range(days)]
