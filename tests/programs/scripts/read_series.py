"""A series in pandas, polars and pyarrow: python read_series.py, where CAMBIST_URL and CAMBIST_KEY name the service."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pyarrow as pa

from cambist.client import Cambist

with Cambist() as client:
    series = client.series("EUR", ["USD", "JPY"], "2024-02-26", "2024-03-04")
pandas, exact, polars, arrow = series.to_pandas(), series.to_pandas(exact=True), series.to_polars(), pa.table(series)
found = {
    "pandas": {str(day.date()): rate for day, rate in pandas["JPY"].items()},
    "pandas types": [str(pandas.index.dtype.kind), str(pandas["JPY"].dtype)],
    "pandas mean": float(pandas["USD"].mean()),
    "exact": {str(day.date()): str(rate) for day, rate in exact["JPY"].items()},
    "polars": {str(day): str(rate) for day, rate in zip(polars["date"], polars["JPY"], strict=True)},
    "polars types": [str(kind) for kind in polars.schema.values()],
    "arrow": {
        str(day): str(rate) for day, rate in zip(arrow["date"].to_pylist(), arrow["JPY"].to_pylist(), strict=True)
    },
    "arrow types": [str(field.type) for field in arrow.schema],
    "polars of arrow": pl.DataFrame(series).equals(polars),
    "pandas of arrow": [str(value) for value in pd.DataFrame.from_arrow(series)["JPY"]]
    if hasattr(pd.DataFrame, "from_arrow")
    else None,
}
print(json.dumps(found))
