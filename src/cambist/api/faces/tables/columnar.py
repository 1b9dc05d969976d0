"""Tables as Arrow and Parquet files, written batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import IO, Any

import numpy as np
from arro3.core import Array, DataType, Field, RecordBatch, Schema
from arro3.io import write_ipc, write_parquet

from cambist.api.answer.answer_table import COUNT, DATE, NUMBER, AnswerTable, Cell, Column
from cambist.api.faces.tables.arrow_stream import BatchStream

PRECISION, SCALE = 38, 20
"""The digits of a decimal column, and how many of them are decimals.

With them all ten significant digits of a rate from 1e-11 up to 1e18 are kept: those of all currencies and metals but
for some that ended in a hyperinflation. A decimal of 28 digits, 10 of them decimals, would lose digits of each yen in
ounces of gold.
"""

WRITER = "cambist"
"""Stands in a Parquet file in place of the version of the library: the same rates always give the same bytes."""

_BATCH_ROWS = 2048
_GROUP_ROWS = 16 * _BATCH_ROWS
_WHOLE_DIGITS = PRECISION - SCALE
STRING, DECIMAL = DataType.string(), DataType.decimal128(PRECISION, SCALE)


def write_arrow(table: AnswerTable, file: IO[bytes]) -> None:
    """Write a table as an Arrow IPC file. Each column of numbers is there as float64 and as decimal."""
    _write(table, partial(write_ipc, file=file))


def write_parquet_file(table: AnswerTable, file: IO[bytes]) -> None:
    """Write a table as a Parquet file. Each column of numbers is there as float64 and as decimal."""
    _write(
        table,
        partial(write_parquet, file=file, compression="zstd(3)", created_by=WRITER, max_row_group_size=_GROUP_ROWS),
    )


def _write(table: AnswerTable, write: Any) -> None:
    schema = Schema([field for column in table.columns for field in _fields(column)])
    stream = BatchStream(schema, _batches(table, schema))
    try:
        write(stream)
    except Exception:
        if stream.error is not None:
            raise stream.error from None
        raise


def _fields(column: Column) -> Iterator[Field]:
    if column.kind is NUMBER:
        yield Field(column.name, DataType.float64(), nullable=False)
        yield Field(f"{column.name}_decimal", DECIMAL, nullable=True)
    elif column.kind is DATE:
        yield Field(column.name, DataType.date32(), nullable=True)
    elif column.kind is COUNT:
        yield Field(column.name, DataType.int64(), nullable=False)
    else:
        yield Field(column.name, STRING, nullable=True)


def _batches(table: AnswerTable, schema: Schema) -> Iterator[RecordBatch]:
    rows = iter(table.rows)
    while batch := list(islice(rows, _BATCH_ROWS)):
        cells = zip(*batch, strict=True)
        arrays = [
            array for column, values in zip(table.columns, cells, strict=True) for array in _arrays(column, values)
        ]
        yield RecordBatch.from_arrays(arrays, schema=schema)


def _arrays(column: Column, cells: Sequence[Cell]) -> Iterator[Array]:
    if column.kind is NUMBER:
        yield Array.from_numpy(np.array(cells, np.float64))
        yield decimal_array([str(cell) for cell in cells])
    elif column.kind is DATE:
        yield Array(cells, type=STRING).cast(DataType.date32())
    elif column.kind is COUNT:
        yield Array.from_numpy(np.array(cells, np.int64))
    else:
        yield Array([None if cell is None else str(cell) for cell in cells], type=STRING)


def decimal_array(numbers: Sequence[str]) -> Array:
    """Return numbers as decimals; null where the column cannot have all digits of one."""
    return Array([number if fits_decimal(number) else None for number in numbers], type=STRING).cast(DECIMAL)


def fits_decimal(number: str) -> bool:
    """Return whether a decimal column can have all digits of a number."""
    whole, _, decimals = number.partition(".")
    return len(whole) <= _WHOLE_DIGITS and len(decimals) <= SCALE
