"""Writing series as JSON: thousands of numbers at once, with the digits that `plain_float` writes one by one.

A whole column is rounded to ten digits, and encoded with its dates in one call. The shortest text of a float64 that was
rounded to ten digits has these digits and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from itertools import compress
from math import floor, isnan, log10

import msgspec
import numpy as np
from numpy.typing import NDArray

from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.series import Series
from cambist.pricing.number_format import SHOWN_DIGITS, TIES_UP, plain_float

Floats = NDArray[np.float64]

_LAST_DAY = date(2100, 12, 31)
_ENCODER = msgspec.json.Encoder()
_LEAST, _LIMIT = 1e-5, 1e9
"""Between these the encoder writes no exponent, and rounding stays within the powers of ten below."""
_POWERS = np.array([float(f"1e{exponent}") for exponent in range(SHOWN_DIGITS + 6)])
_FIRST, _PAST = float(f"1e{SHOWN_DIGITS - 1}"), float(f"1e{SHOWN_DIGITS}")
_DOUBT = 1e-5
"""How near to a half a scaled number must be to be rounded by its exact digits; its own error is below 1e-6."""


def prepare() -> None:
    """Write the dates before the first request needs them."""
    _dates()


def rates_by_day(series: Series) -> bytes:
    """Write a series as an object of date to rate; days without a rate are left out."""
    values = series.values
    dates = dates_from(series.first_day, len(values))
    least, most = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    if isnan(least):
        has_rate = ~np.isnan(values)
        dates, values = list(compress(dates, has_rate.tolist())), values[has_rate]
        least, most = float(values.min()), float(values.max())
    if not (least > _LEAST and most < _LIMIT):
        numbers = map(plain_float, values.tolist())
        return (
            "{" + ",".join([f'"{day}":{number}' for day, number in zip(dates, numbers, strict=True)]) + "}"
        ).encode()
    shown = round_to_shown_digits(values * TIES_UP, in_one_decade=floor(log10(least)) == floor(log10(most)))
    encoded = _ENCODER.encode(dict(zip(dates, shown.tolist(), strict=True)))
    if np.logical_or.reduce(shown == np.rint(shown)):
        return encoded.replace(b".0,", b",").replace(b".0}", b"}")  # the encoder writes 5 as 5.0
    return encoded


def round_to_shown_digits(values: Floats, *, in_one_decade: bool = False) -> Floats:
    """Round numbers from 1e-5 to 1e9 to ten significant digits, as `%.10g` does.

    With `in_one_decade` they are all between the same two powers of ten, which is faster.
    """
    if in_one_decade:
        scale = _POWERS[SHOWN_DIGITS - 1 - floor(log10(float(values[0])))]
    else:
        scale = _POWERS[SHOWN_DIGITS - 1 - np.floor(np.log10(values)).astype(np.int64)]
    scaled = values * scale
    whole = np.rint(scaled)
    rounded: Floats = whole / scale
    is_doubtful = (np.abs(scaled - whole) > 0.5 - _DOUBT) | (scaled < _FIRST) | (scaled >= _PAST)
    for place in np.flatnonzero(is_doubtful).tolist():
        rounded[place] = float(f"{values[place]:.{SHOWN_DIGITS}g}")
    return rounded


def dates_from(first: date, count: int) -> Sequence[str]:
    """Return as many days as `count` says, from a first one, as texts."""
    start = (first - FIRST_DAY).days
    return _dates()[start : start + count]


@cache
def _dates() -> tuple[str, ...]:
    """Return each day that a rate matrix can have."""
    days = np.arange(np.datetime64(FIRST_DAY), np.datetime64(_LAST_DAY + timedelta(days=1)))
    return tuple(days.astype(str).tolist())
