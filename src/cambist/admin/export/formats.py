"""The formats of exported files, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cambist.admin.export.parquet_file import count_parquet_rows, make_parquet
from cambist.admin.export.price_files import count_prices, make_beancount, make_ledger
from cambist.admin.export.rate_table import RateTable

HEADER = "date,base,quote,rate,source,edition"


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """How a file of a format is called, made from a table, and how its rows are counted."""

    suffix: str
    write: Callable[[RateTable], bytes]
    count_rows: Callable[[bytes], int]


def write_csv(table: RateTable) -> bytes:
    """Return a table as CSV, with all digits of each rate."""
    end = f",{table.edition}\n"
    lines = (f"{day},{table.base},{quote},{rate},{sources}{end}" for day, quote, rate, sources in table.rows())
    return "".join([HEADER, "\n", *lines]).encode()


def count_csv_rows(content: bytes) -> int:
    """Return how many rows a CSV file has below its header."""
    return content.count(b"\n") - 1


FORMATS: Mapping[str, ExportFormat] = {
    "csv": ExportFormat("csv", write_csv, count_csv_rows),
    "parquet": ExportFormat("parquet", make_parquet, count_parquet_rows),
    "beancount": ExportFormat("beancount", make_beancount, count_prices),
    "ledger": ExportFormat("ledger", make_ledger, count_prices),
    "hledger": ExportFormat("journal", make_ledger, count_prices),
}
