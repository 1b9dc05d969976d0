"""Exported files in the Parquet format."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from arro3.core import Array, DataType, Field, Schema, Table
from arro3.io import read_parquet, write_parquet

from cambist.admin.export.rate_table import RateTable
from cambist.api.faces.tables.columnar import DECIMAL, STRING, WRITER, decimal_array

_MAGIC = b"PAR1"
_SCHEMA = Schema(
    [
        Field("date", DataType.date32(), nullable=False),
        Field("base", STRING, nullable=False),
        Field("quote", STRING, nullable=False),
        Field("rate", DataType.float64(), nullable=False),
        Field("rate_decimal", DECIMAL, nullable=True),
        Field("source", STRING, nullable=False),
        Field("edition", STRING, nullable=False),
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
        decimal_array(rates),
        _pick(table.source_names, table.source_indexes.tolist()),
        _repeat(table.edition, len(table)),
    ]
    file = BytesIO()
    write_parquet(Table.from_arrays(columns, schema=_SCHEMA), file, compression="zstd(3)", created_by=WRITER)
    return file.getvalue()


def count_parquet_rows(content: bytes) -> int:
    """Return how many rows a Parquet file has. Errors: ValueError if it is none."""
    if not (content.startswith(_MAGIC) and content.endswith(_MAGIC)):
        raise ValueError(f"it does not begin and end with {_MAGIC.decode()}")
    return sum(batch.num_rows for batch in read_parquet(BytesIO(content)))


def _repeat(text: str, count: int) -> Array:
    return _pick([text], [0] * count)


def _pick(texts: Sequence[str], places: Sequence[int]) -> Array:
    return Array([texts[place] for place in places], type=STRING)
