"""Series as frames: for pandas, polars, and everything that reads Arrow. Each library is imported when it is used."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple

from cambist.client.errors import PackageMissing

_PRECISION = 38
"""The digits of a decimal of 128 bits."""

Results = Mapping[str, Mapping[dt.date, Decimal]]


class Columns(NamedTuple):
    """A series by columns: the days in ascending order, and for each code a value or None for each day."""

    days: list[dt.date]
    values: dict[str, list[Decimal | None]]


def columns_of(results: Results) -> Columns:
    """Return the columns of a series."""
    days = sorted({day for rates in results.values() for day in rates})
    return Columns(days, {code: [rates.get(day) for day in days] for code, rates in results.items()})


def to_pandas(results: Results, *, exact: bool) -> Any:
    """Return a DataFrame by day with a column for each code: of float64, or of Decimal if `exact`."""
    pandas = _import("pandas", "pandas")
    days, values = columns_of(results)
    index = pandas.DatetimeIndex(days, name="date")
    dtype = object if exact else "float64"
    return pandas.DataFrame({code: pandas.Series(rates, index, dtype) for code, rates in values.items()}, index)


def to_polars(results: Results) -> Any:
    """Return a DataFrame with a column `date`, and one for each code, of decimals with all digits."""
    polars = _import("polars", "polars")
    days, values = columns_of(results)
    columns = [polars.Series("date", days, polars.Date)]
    columns += [
        polars.Series(code, rates, polars.Decimal(_PRECISION, decimal_places(rates))) for code, rates in values.items()
    ]
    return polars.DataFrame(columns)


def arrow_stream(results: Results, requested_schema: object = None) -> object:
    """Return the capsule of an Arrow stream with a column `date`, and one for each code, of 128-bit decimals."""
    build = _first_installed({"arro3.core": _arro3_table, "pyarrow": _pyarrow_table}, "arrow")
    return build(*columns_of(results)).__arrow_c_stream__(requested_schema)


def decimal_places(rates: Iterable[Decimal | None]) -> int:
    """Return how many decimal places hold all digits."""
    exponents = (rate.as_tuple().exponent for rate in rates if rate is not None)
    return max((-exponent for exponent in exponents if isinstance(exponent, int) and exponent < 0), default=0)


def _arro3_table(core: Any, days: Sequence[dt.date], values: Mapping[str, Sequence[Decimal | None]]) -> Any:
    def column(texts: Iterable[str | None], kind: Any) -> Any:
        # Arrays of days and decimals cannot be made from objects of Python yet, only from texts.
        return core.Array(list(texts), type=core.DataType.utf8()).cast(kind)

    arrays = {"date": column(map(str, days), core.DataType.date32())}
    for code, rates in values.items():
        kind = core.DataType.decimal128(_PRECISION, decimal_places(rates))
        arrays[code] = column((None if rate is None else format(rate, "f") for rate in rates), kind)
    return core.Table(arrays)


def _pyarrow_table(pyarrow: Any, days: Sequence[dt.date], values: Mapping[str, Sequence[Decimal | None]]) -> Any:
    arrays = {"date": pyarrow.array(days, pyarrow.date32())}
    for code, rates in values.items():
        arrays[code] = pyarrow.array(rates, pyarrow.decimal128(_PRECISION, decimal_places(rates)))
    return pyarrow.table(arrays)


def _first_installed(builders: Mapping[str, Callable[..., Any]], extra: str) -> Callable[..., Any]:
    """Return the first builder whose library is installed, with the library as its first argument."""
    for name, build in builders.items():
        try:
            library = import_module(name)
        except ImportError:
            continue
        return lambda *columns, build=build, library=library: build(library, *columns)
    raise _missing(" or ".join(name.partition(".")[0] for name in builders), extra)


def _import(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise _missing(name, extra) from error


def _missing(name: str, extra: str) -> PackageMissing:
    return PackageMissing(f'{name} is not installed: pip install "cambist-client[{extra}]"')
