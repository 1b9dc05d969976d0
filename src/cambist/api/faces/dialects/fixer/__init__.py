"""The dialect `fixer`: the interface that Fixer, exchangerate.host and exchangeratesapi share.

Below `/v1` errors are as exchangeratesapi.io writes them, below `/exchangerates_data` as APILayer's marketplace does.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute, ErrorWriter
from cambist.api.faces.dialects.fixer import conversion, rates, series
from cambist.api.faces.dialects.numbered_errors import ERRORS
from cambist.errors import CambistError, UnknownSymbol

_SIDES = ("base", "symbols")
_PERIOD = ("start_date", "end_date")
_CONVERSION = ("from", "to", "amount", "date")
_OF_KEY = "/v1-of-key"
"""Where requests below `/v1` are answered that bring a key: the folder is Frankfurter's."""
_GATEWAY = frozenset({401, 403, 404, 429})
_INVALID_BASE = 201, "invalid_base_currency"
_INVALID_SYMBOLS = 202, "invalid_currency_codes"


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as Fixer's: a number, a type and a sentence."""
    number, kind = ERRORS.get(code, (status, code))
    if isinstance(error, UnknownSymbol):
        number, kind = _INVALID_BASE if error.role == "source" else _INVALID_SYMBOLS
    body = {"success": False, "error": {"code": number, "type": kind, "info": sentence}}
    return status, msgspec.json.encode(body)


def write_text_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as exchangeratesapi.io's version 1: a word and a sentence, and nothing about success."""
    kind = ERRORS.get(code, (status, code))[1]
    if isinstance(error, UnknownSymbol):
        kind = (_INVALID_BASE if error.role == "source" else _INVALID_SYMBOLS)[1]
    return status, msgspec.json.encode({"error": {"code": kind, "message": sentence}})


def write_gateway_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as APILayer's marketplace: about keys, limits and paths a sentence, else as Fixer's."""
    if status in _GATEWAY and code != "no_rate":
        return status, msgspec.json.encode({"message": sentence})
    return write_error(status, code, sentence, error)


def _routes(folder: str, errors: ErrorWriter | None = None) -> tuple[DialectRoute, ...]:
    found = _routes_of(folder)
    return tuple(replace(route, write_error=errors) for route in found)


def _routes_of(folder: str) -> tuple[DialectRoute, ...]:
    return (
        DialectRoute(f"{folder}/latest", rates.latest, _SIDES, live_with=_SIDES),
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
        *_routes(_OF_KEY, write_text_error),
        DialectRoute(f"{_OF_KEY}/convert", conversion.convert, _CONVERSION, write_error=write_text_error),
        *_routes("/exchangerates_data", write_gateway_error),
        DialectRoute("/exchangerates_data/convert", conversion.convert, _CONVERSION, write_error=write_gateway_error),
        *_routes(""),
    ),
    write_error=write_error,
    key_parameters=("access_key", "apikey"),
    key_headers=("apikey",),
    claims={"/v1/": f"{_OF_KEY}/"},
)
