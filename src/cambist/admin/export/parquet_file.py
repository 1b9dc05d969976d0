"""Exported files in the Parquet format."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from arro3.core import Array, DataType, Field, Schema, Table
from arro3.io import read_parquet, write_parquet

from cambist.admin.export.rate_table import RateTable

PRECISION, SCALE = 38, 20
"""The digits of the decimal column, and how many of them are decimals.

With them all ten significant digits of a rate from 1e-11 up to 1e18 are kept: those of all currencies and metals but
for some that ended in a hyperinflation. A decimal of 28 digits, 10 of them decimals, would lose digits of each yen in
ounces of gold.
"""

_STRING = DataType.string()
_DECIMAL = DataType.decimal128(PRECISION, SCALE)
_WHOLE_DIGITS = PRECISION - SCALE
_MAGIC = b"PAR1"
_WRITER = "cambist"
"""Stands in the file in place of the version of the library, so that the same rates always give the same bytes."""

_SCHEMA = Schema(
    [
        Field("date", DataType.date32(), nullable=False),
        Field("base", _STRING, nullable=False),
        Field("quote", _STRING, nullable=False),
        Field("rate", DataType.float64(), nullable=False),
        Field("rate_decimal", _DECIMAL, nullable=True),
        Field("source", _STRING, nullable=False),
        Field("edition", _STRING, nullable=False),
    ]
)


def make_parquet(table: RateTable) -> bytes:
    """Return a table as a Parquet file, with each rate as float64 and as decimal.

    The decimal is null if it cannot have all digits of the rate.
    """
    rates = table.rates
    columns = [
        Array.from_numpy(table.days.astype(np.int32)).cast(DataType.date32()),
        _repeat(table.base, len(table)),
        _pick(table.quotes, table.quote_indexes.tolist()),
        Array.from_numpy(np.array(rates, np.float64)),
        Array([rate if fits_decimal(rate) else None for rate in rates], type=_STRING).cast(_DECIMAL),
        _pick(table.source_names, table.source_indexes.tolist()),
        _repeat(table.edition, len(table)),
    ]
    file = BytesIO()
    write_parquet(Table.from_arrays(columns, schema=_SCHEMA), file, compression="zstd(3)", created_by=_WRITER)
    return file.getvalue()


def fits_decimal(rate: str) -> bool:
    """Return whether the decimal column can have all digits of a rate."""
    whole, _, decimals = rate.partition(".")
    return len(whole) <= _WHOLE_DIGITS and len(decimals) <= SCALE


def count_parquet_rows(content: bytes) -> int:
    """Return how many rows a Parquet file has. Errors: ValueError if it is none."""
    if not (content.startswith(_MAGIC) and content.endswith(_MAGIC)):
        raise ValueError(f"it does not begin and end with {_MAGIC.decode()}")
    return sum(batch.num_rows for batch in read_parquet(BytesIO(content)))


def _repeat(text: str, count: int) -> Array:
    return _pick([text], [0] * count)


def _pick(texts: Sequence[str], places: Sequence[int]) -> Array:
    return Array([texts[place] for place in places], type=_STRING)
