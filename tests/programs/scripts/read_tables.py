"""Read a series in every format, each with the programs that people read it with, and print what each has found.

Arguments: the address of the series without suffix, its query, and an API key.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow.feather

path, query, key = sys.argv[1:]
COLUMNS = ["date", "base", "quote", "rate"]


def url(suffix: str) -> str:
    return f"{path}.{suffix}?{query}&api_key={key}"


def content(suffix: str) -> io.BytesIO:
    with urllib.request.urlopen(url(suffix), timeout=30) as reply:
        return io.BytesIO(reply.read())


def of_frame(frame: pd.DataFrame, rate: str = "rate") -> Iterable[tuple[Any, ...]]:
    return zip(frame["date"], frame["base"], frame["quote"], frame[rate], strict=True)


def with_duckdb() -> Iterable[tuple[Any, ...]]:
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(content("parquet").read())
        file.flush()
        return duckdb.read_parquet(file.name).project("date, base, quote, rate_decimal").fetchall()


def with_openpyxl() -> Iterable[tuple[Any, ...]]:
    rows = openpyxl.load_workbook(content("xlsx"), read_only=True).active.iter_rows(min_row=2, values_only=True)
    return [(day.date(), *rest) for day, *rest, _fixed_on in rows]


READERS: dict[str, Callable[[], Iterable[tuple[Any, ...]]]] = {
    "csv pandas": lambda: of_frame(pd.read_csv(url("csv"), dtype=str)),
    "csv polars": lambda: pl.read_csv(content("csv"), infer_schema_length=0).select(COLUMNS).iter_rows(),
    "csv decimal comma pandas": lambda: of_frame(
        pd.read_csv(url("csv") + "&decimal=comma", sep=";", decimal=",", float_precision="round_trip")
    ),
    "ndjson pandas": lambda: of_frame(pd.read_json(url("ndjson"), lines=True, convert_dates=False, precise_float=True)),
    "ndjson polars": lambda: pl.read_ndjson(content("ndjson")).select(COLUMNS).iter_rows(),
    "xlsx openpyxl": with_openpyxl,
    "arrow pandas": lambda: of_frame(pd.read_feather(content("arrow")), "rate_decimal"),
    "arrow polars": lambda: pl.read_ipc(content("arrow")).select(COLUMNS).iter_rows(),
    "arrow pyarrow": lambda: of_frame(pyarrow.feather.read_table(content("arrow")).to_pandas(), "rate_decimal"),
    "parquet pandas": lambda: of_frame(pd.read_parquet(content("parquet")), "rate"),
    "parquet polars": lambda: (
        pl.read_parquet(content("parquet")).select("date", "base", "quote", "rate_decimal").iter_rows()
    ),
    "parquet duckdb": with_duckdb,
}

found = {
    name: [[str(day), base, quote, str(rate)] for day, base, quote, rate in read()] for name, read in READERS.items()
}
sys.stdout.write(json.dumps(found))
