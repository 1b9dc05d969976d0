"""The dialect `frankfurter`: versions 1 and 2 of Frankfurter's interface, which has no keys."""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.frankfurter import version_1, version_2
from cambist.errors import BadParameter, CambistError, NoRate, UnknownSymbol

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
        DialectRoute("/v1/currencies", version_1.currencies),
        DialectRoute("/v1/{period}", version_1.rates),
        DialectRoute("/latest", version_1.rates),
        DialectRoute("/{period:period}", version_1.rates),
        DialectRoute("/v2/currencies", version_2.currencies),
        DialectRoute("/v2/currency/{code}", version_2.currency),
        DialectRoute("/v2/rates", version_2.rates, negotiates=True),
        DialectRoute("/v2/rates.csv", version_2.rates_as_csv),
        DialectRoute("/v2/rate/{base}/{quote}", version_2.rate),
    ),
    write_error=write_error,
)
