"""The dialect `frankfurter`: versions 1 and 2 of Frankfurter's interface, which has no keys."""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.frankfurter import providers, version_1, version_2
from cambist.errors import BadParameter, CambistError, NoRate, UnknownSymbol

_SIDES_1 = ("from", "to", "base", "symbols", "symbol", "amount")
_RATES_2 = ("base", "quotes", "date", "from", "to", "group", "providers")
_LIVE_2 = ("base", "quotes")
_LONG = ("from", "providers")
"""With these version 2 answers with a series, or reads the archive."""

_NOT_FOUND, _UNPROCESSABLE = 404, 422


def write_error(status: int, _code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as Frankfurter's: a message, 404 for what there is not, 422 for what cannot be read."""
    if status == _NOT_FOUND or isinstance(error, UnknownSymbol | NoRate):
        return _NOT_FOUND, msgspec.json.encode({"status": _NOT_FOUND, "message": "not found", "detail": sentence})
    if isinstance(error, BadParameter):
        status = _UNPROCESSABLE
    return status, msgspec.json.encode({"status": status, "message": sentence})


dialect = Dialect(
    name="frankfurter",
    title="Frankfurter",
    guide="dialect-frankfurter.md",
    routes=(
        DialectRoute("/v1", version_1.root),
        DialectRoute("/v1/currencies", version_1.currencies),
        DialectRoute("/v1/latest", version_1.rates, _SIDES_1, live_with=_SIDES_1),
        DialectRoute("/v1/{period}", version_1.rates, _SIDES_1),
        DialectRoute("/latest", version_1.rates, _SIDES_1, live_with=_SIDES_1),
        DialectRoute("/{period:period}", version_1.rates, _SIDES_1),
        DialectRoute("/v2", version_2.root, is_strict=True),
        DialectRoute("/v2/currencies", version_2.currencies, is_strict=True),
        DialectRoute("/v2/currency/{code}", version_2.currency, is_strict=True),
        DialectRoute(
            *("/v2/rates", version_2.rates, _RATES_2),
            is_strict=True,
            negotiates=True,
            series_with=_LONG,
            live_with=_LIVE_2,
        ),
        DialectRoute(
            *("/v2/rates.csv", version_2.rates_as_csv, _RATES_2),
            is_strict=True,
            series_with=_LONG,
            live_with=_LIVE_2,
        ),
        DialectRoute(
            *("/v2/rate/{base}/{quote}", version_2.rate, ("date", "providers")),
            is_strict=True,
            series_with=_LONG,
            live_with=(),
        ),
        DialectRoute("/v2/providers", providers.providers, is_strict=True),
    ),
    write_error=write_error,
    own_parameters=("from", "to", "amount"),
)
