from math import isclose

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.answer.rendering import conversion, matrix, rates
from cambist.pricing.number_format import plain_float
from cambist.reference.assets import COINS, METALS
from cambist.reference.currency_tables import CURRENCIES

VALUES = st.floats(1e-200, 1e200)
CODES = ("EUR", "JPY", "BTC/USDT")


@given(st.lists(VALUES, min_size=3, max_size=3))
def test_rates_are_written_as_each_number_alone(values: list[float]) -> None:
    numbers = [f'"{code}":{plain_float(value)}' for code, value in zip(CODES, values, strict=True)]
    assert bytes(rates(CODES, values)).decode() == "{" + ",".join(numbers) + "}"


@given(st.lists(VALUES, min_size=6, max_size=6))
def test_a_matrix_is_an_object_of_rates_by_source(values: list[float]) -> None:
    rows = [bytes(rates(CODES, row)).decode() for row in (values[:3], values[3:])]
    written = bytes(matrix(("USD", "GBP"), CODES, values))
    assert written.decode() == f'{{"USD":{rows[0]},"GBP":{rows[1]}}}'
    found = msgspec.json.decode(written)["GBP"].values()
    assert all(isclose(value, shown, rel_tol=1e-9) for value, shown in zip(values[3:], found, strict=True))


def test_no_code_looks_like_an_exponent_or_a_format() -> None:
    assert not {"e", "%", '"', ":"} & set("".join((*CURRENCIES, *METALS, *COINS)))


def test_a_conversion_has_the_amount_without_idle_zeros_and_the_rate() -> None:
    assert bytes(conversion("EUR", "12.50", 1e-5)) == b'{"EUR":12.5,"rate":0.00001}'
