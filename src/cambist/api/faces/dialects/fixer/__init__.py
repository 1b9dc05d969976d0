"""The dialect `fixer`: the interface that Fixer, exchangerate.host and exchangeratesapi share."""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.fixer import conversion, rates, series
from cambist.api.faces.dialects.numbered_errors import ERRORS
from cambist.errors import CambistError, UnknownSymbol

_SIDES = ("base", "symbols")
_PERIOD = ("start_date", "end_date")
_CONVERSION = ("from", "to", "amount", "date")
_INVALID_BASE = 201, "invalid_base_currency"
_INVALID_SYMBOLS = 202, "invalid_currency_codes"


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as Fixer's: a number, a type and a sentence."""
    number, kind = ERRORS.get(code, (status, code))
    if isinstance(error, UnknownSymbol):
        number, kind = _INVALID_BASE if error.role == "source" else _INVALID_SYMBOLS
    body = {"success": False, "error": {"code": number, "type": kind, "info": sentence}}
    return status, msgspec.json.encode(body)


def _routes(folder: str) -> tuple[DialectRoute, ...]:
    return (
        DialectRoute(f"{folder}/latest", rates.latest, _SIDES),
        DialectRoute(f"{folder}/symbols", rates.symbols),
        DialectRoute(f"{folder}/timeseries", series.time_series, (*_SIDES, *_PERIOD), series_with=()),
        DialectRoute(f"{folder}/fluctuation", series.fluctuation, (*_SIDES, *_PERIOD)),
        DialectRoute(f"{folder}/{{period:period}}", rates.historical, _SIDES),
    )


dialect = Dialect(
    name="fixer",
    title="Fixer, exchangerate.host and exchangeratesapi",
    guide="dialect-fixer.md",
    routes=(
        *_routes("/fixer"),
        DialectRoute("/fixer/convert", conversion.convert, _CONVERSION),
        *_routes("/api"),
        DialectRoute("/api/convert", conversion.convert, _CONVERSION),
        *_routes(""),
    ),
    write_error=write_error,
    key_parameters=("access_key", "apikey"),
)
