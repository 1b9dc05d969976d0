"""A series as an Arrow stream, read by a library that is not ours."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import arro3.core
import msgspec
import pytest

from cambist.client.answers import decode_custom_type
from cambist.client.endpoints.history import TimeSeriesResponse
from cambist.client.frames import columns_of, decimal_places

SERIES = b"""{"start": "2024-02-28", "end": "2024-03-01", "interval": "P1D", "base": "EUR", "ms": 0, "results": {
 "USD": {"2024-02-28": 1.0808, "2024-02-29": 1.08260000, "2024-03-01": 1.0813},
 "VES": {"2024-02-28": 39123456.5, "2024-03-01": 0.0000000001234567891}}}"""


@pytest.fixture
def series() -> TimeSeriesResponse:
    return msgspec.json.decode(SERIES, type=TimeSeriesResponse, dec_hook=decode_custom_type)


def test_a_series_has_a_row_for_each_day_and_a_gap_where_a_rate_is_missing(series: TimeSeriesResponse) -> None:
    days, values = columns_of(series.results)
    assert days == [date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]
    assert values["VES"] == [Decimal("39123456.5"), None, Decimal("1.234567891E-10")]
    assert decimal_places(values["VES"]) == 19
    assert decimal_places([Decimal("1E+3"), None]) == 0


def test_an_arrow_library_reads_every_digit(series: TimeSeriesResponse) -> None:
    table = arro3.core.Table.from_arrow(series)
    assert [str(field.type).strip() for field in table.schema] == [
        "arro3.core.DataType<Date32>",
        "arro3.core.DataType<Decimal128(38, 8)>",
        "arro3.core.DataType<Decimal128(38, 19)>",
    ]
    assert table["date"].to_pylist() == [date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]
    assert table["USD"].to_pylist() == [*series.results["USD"].values()]
    assert table["VES"].to_pylist() == [Decimal("39123456.5"), None, Decimal("1.234567891E-10")]


def test_a_series_without_a_rate_is_an_empty_table(series: TimeSeriesResponse) -> None:
    empty = msgspec.structs.replace(series, results={"USD": {}})
    assert arro3.core.Table.from_arrow(empty).num_rows == 0
