"""Parquet files of exports: both columns of a rate, and no digit lost."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from arro3.io import read_parquet

from cambist.admin.export.parquet_file import count_parquet_rows, make_parquet
from cambist.admin.export.rate_table import RateTable
from cambist.api.faces.tables.columnar import fits_decimal
from cambist.pricing.number_format import plain_float


def table(*values: float) -> RateTable:
    zeros = np.zeros(len(values), np.int64)
    return RateTable("USD", ("EUR",), (("ecb", "boe"),), zeros + 20000, zeros, np.array(values), zeros, {})


def rows(content: bytes) -> list[dict[str, Any]]:
    batch = read_parquet(BytesIO(content)).read_all().combine_chunks()
    columns = [batch.column(name).to_pylist() for name in batch.column_names]
    return [dict(zip(batch.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def test_a_row_has_the_rate_as_float_and_as_decimal() -> None:
    made = table(1 / 3)
    (row,) = rows(make_parquet(made))
    assert {name: str(value) for name, value in row.items()} == {
        "date": "2024-10-04",
        "base": "USD",
        "quote": "EUR",
        "rate": "0.3333333333",
        "rate_decimal": "0.33333333330000000000",
        "source": "ecb+boe",
        "edition": made.edition,
    }


@pytest.mark.parametrize("value", [1 / 3e10, 1.23456789e-11, 9.87654321e9, 123456789012345678.0, 1.5, 4242.0])
def test_the_decimal_has_every_digit_that_is_shown(value: float) -> None:
    (row,) = rows(make_parquet(table(value)))
    assert row["rate_decimal"] == Decimal(plain_float(value))
    assert row["rate"] == float(plain_float(value))


@pytest.mark.parametrize("value", [1 / 3e12, 5.645137409638557e25])
def test_the_decimal_is_null_where_it_cannot_have_all_digits_and_the_float_is_not(value: float) -> None:
    (row,) = rows(make_parquet(table(value)))
    assert row["rate_decimal"] is None
    assert row["rate"] == float(plain_float(value))


def test_what_fits_the_decimal_is_decided_by_its_digits() -> None:
    assert fits_decimal("0." + "1" * 20)
    assert fits_decimal("9" * 18)
    assert not fits_decimal("0." + "1" * 21)
    assert not fits_decimal("9" * 19)


def test_the_same_rates_give_the_same_bytes_without_the_version_of_a_library() -> None:
    content = make_parquet(table(1.5, 2.5))
    assert content == make_parquet(table(1.5, 2.5))
    assert b"parquet-rs" not in content


def test_an_empty_table_is_a_file_without_rows() -> None:
    assert count_parquet_rows(make_parquet(table())) == 0


def test_rows_are_counted_and_a_damaged_file_is_refused() -> None:
    content = make_parquet(table(1.5, 2.5))
    assert count_parquet_rows(content) == 2
    with pytest.raises(ValueError, match="PAR1"):
        count_parquet_rows(content[:-4])
