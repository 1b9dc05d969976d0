"""The rate of a pair is written as everywhere, on both sides of where an exponent would begin."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cambist.api.direct.cross import CrossRates
from cambist.api.direct.legs import CURRENCY
from cambist.pricing.number_format import plain_float

RATES = [
    1e-12,
    9.9e-5,
    0.9999999999e-4,
    1e-4,
    1.0000000001e-4,
    0.5,
    1.0,
    9.8999999999e9,
    9.9e9,
    9.9999999999e9,
    1e10,
    3e14,
]


@pytest.mark.parametrize("rate", RATES)
def test_a_rate_has_no_exponent(rate: float) -> None:
    legs = {b"AAA": (rate, 1, 10.0, CURRENCY), b"BBB": (1.0, 2, 10.0, CURRENCY)}
    view = cast(Any, SimpleNamespace(legs=legs, times={1: b"1", 2: b"2"}))

    body, cost, _ = CrossRates(cast(Any, None), timedelta()).answer([b"", b"AAA", b"BBB"], view, 5.0)

    assert body == b'{"base":"AAA","result":{"BBB":%b},"updated":1,"ms":' % plain_float(rate).encode()
    assert cost == 1
