"""Read the Parquet files of an export with DuckDB, pandas and polars, and print what each has found as JSON.

Arguments: the folder of the export, and the names of the readers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any


def with_duckdb(files: list[str]) -> Iterator[tuple[Any, ...]]:
    query = (
        "SELECT date, base, quote, rate, rate_decimal, source, edition FROM read_parquet($files) ORDER BY date, quote"
    )
    yield from import_module("duckdb").execute(query, {"files": files}).fetchall()


def with_pandas(files: list[str]) -> Iterator[tuple[Any, ...]]:
    pandas = import_module("pandas")
    frame = pandas.concat(map(pandas.read_parquet, files)).sort_values(["date", "quote"])
    yield from frame.itertuples(index=False, name=None)


def with_polars(files: list[str]) -> Iterator[tuple[Any, ...]]:
    yield from import_module("polars").read_parquet(files).sort("date", "quote").iter_rows()


READERS = {"duckdb": with_duckdb, "pandas": with_pandas, "polars": with_polars}

if __name__ == "__main__":
    folder, *names = sys.argv[1:]
    files = sorted(map(str, Path(folder).glob("*.parquet")))
    found = {
        name: [
            [str(day), base, quote, repr(float(rate)), f"{decimal:f}", source, edition]
            for day, base, quote, rate, decimal, source, edition in READERS[name](files)
        ]
        for name in names
    }
    sys.stdout.write(json.dumps(found))
