"""The dialect `openexchangerates`: the interface of Open Exchange Rates, whose App ID is the API key."""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.open_exchange_rates import bars, conversion, latest, usage
from cambist.errors import CambistError, NoRate, UnknownSymbol

_CODES = {
    "key_missing": (401, "missing_app_id"),
    "key_malformed": (401, "invalid_app_id"),
    "key_unknown": (401, "invalid_app_id"),
    "key_ended": (401, "invalid_app_id"),
    "keys_differ": (401, "invalid_app_id"),
    "account_suspended": (403, "access_restricted"),
    "not_in_plan": (403, "not_allowed"),
    "rate_limited": (429, "too_many_requests"),
    "quota_spent": (429, "too_many_requests"),
    "too_many_failures": (429, "too_many_requests"),
    "unknown_path": (404, "not_found"),
}

_SIDES = ("base", "symbols")
_MORE = ("show_alternative", "prettyprint")


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as Open Exchange Rates': status, message and description."""
    status, message = _CODES.get(code, (status, code))
    if isinstance(error, UnknownSymbol):
        message = "invalid_base"
    elif isinstance(error, NoRate):
        status, message = 400, "not_available"
    body = {"error": True, "status": status, "message": message, "description": sentence}
    return status, msgspec.json.format(msgspec.json.encode(body), indent=2)


dialect = Dialect(
    name="openexchangerates",
    title="Open Exchange Rates",
    guide="dialect-open-exchange-rates.md",
    routes=(
        DialectRoute("/api/latest.json", latest.latest, (*_SIDES, *_MORE), live_with=(*_SIDES, "prettyprint")),
        DialectRoute("/api/historical/{file}", latest.historical, (*_SIDES, *_MORE)),
        DialectRoute("/api/currencies.json", latest.currencies, (*_MORE, "show_inactive"), is_public=True),
        DialectRoute("/api/time-series.json", latest.time_series, (*_SIDES, *_MORE, "start", "end"), series_with=()),
        DialectRoute("/api/convert/{value}/{base}/{quote}", conversion.convert, ("prettyprint",)),
        DialectRoute("/api/ohlc.json", bars.ohlc, (*_SIDES, "start_time", "period", "prettyprint"), tag="fx-series"),
        DialectRoute("/api/usage.json", usage.usage, ("prettyprint",), tag="admin", needs_usage=True),
    ),
    write_error=write_error,
    key_parameters=("app_id",),
    key_schemes=("token",),
)
