"""Sizes of quotes: powers of ten, for weak currencies only."""

from __future__ import annotations

import pytest

from cambist.reference import sizes
from cambist.reference.sizes import SIZES, size_of
from cambist.reference.tables import CURRENCIES


def test_the_table_is_sorted_and_of_currencies() -> None:
    assert list(SIZES) == sorted(SIZES)
    assert SIZES.keys() <= CURRENCIES.keys()


@pytest.mark.parametrize(
    ("base", "quote", "size"),
    [
        ("EUR", "USD", 1),
        ("IRR", "USD", 100_000),
        ("USD", "IRR", 1),
        ("JPY", "USD", 100),
        ("JPY", "KRW", 1),
        ("KRW", "JPY", 10),
        ("IRR", "LBP", 1),
        ("VND", "JPY", 100),
    ],
)
def test_a_weak_base_is_quoted_by_as_many_units_as_it_is_weaker(base: str, quote: str, size: int) -> None:
    assert size_of(base, quote) == size


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("ZZZ,100", "code"),
        ("usd,100", "code"),
        ("IRR,1", "size"),
        ("IRR,150", "size"),
        ("IRR,-100", "size"),
        ("IRR", "row"),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(line: str, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^quote_sizes\.csv, line 2, {field}: "):
        sizes._sizes(f"code,size\n{line}")


def test_a_currency_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^quote_sizes\.csv, line 3, code: "):
        sizes._sizes("code,size\nIRR,100\nIRR,100")
