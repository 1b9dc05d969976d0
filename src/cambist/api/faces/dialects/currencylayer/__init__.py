"""The dialect `currencylayer`: the interface that currencylayer and exchangerate.host have today.

Known from APILayer's specification of its Currency Data API (in api-evangelist/apilayer), the drivers of
laravel-exchange-rates and exchanger, and ERPNext's currency exchange settings.
"""

from __future__ import annotations

from cambist.api.faces.dialects.currencylayer import answers
from cambist.api.faces.dialects.currencylayer.refusals import write_error
from cambist.api.faces.dialects.dialect import Dialect, DialectRoute

_QUOTES = ("source", "currencies")
_PERIOD = ("start_date", "end_date")
_CONVERSION = ("from", "to", "amount", "date")
_FOLDER = "/currencylayer"


def _routes(folder: str) -> tuple[DialectRoute, ...]:
    return (
        DialectRoute(f"{folder}/live", answers.live, _QUOTES, live_with=_QUOTES, names_address=True),
        DialectRoute(f"{folder}/timeframe", answers.timeframe, (*_QUOTES, *_PERIOD), series_with=()),
        DialectRoute(f"{folder}/change", answers.change, (*_QUOTES, *_PERIOD)),
        DialectRoute(f"{folder}/list", answers.names),
    )


def _in_folder(folder: str) -> tuple[DialectRoute, ...]:
    """Return the routes in a folder: without one `/historical` and `/convert` are Cambist's own too."""
    return (
        *_routes(folder),
        DialectRoute(f"{folder}/historical", answers.historical, (*_QUOTES, "date")),
        DialectRoute(f"{folder}/convert", answers.convert, _CONVERSION),
    )


dialect = Dialect(
    name="currencylayer",
    title="currencylayer and exchangerate.host",
    guide="dialect-currencylayer.md",
    routes=(*_in_folder(_FOLDER), *_in_folder("/api"), *_in_folder("/currency_data"), *_routes("")),
    write_error=write_error,
    key_parameters=("access_key", "apikey"),
    key_headers=("apikey",),
    own_parameters=("source", "currencies"),
    claims={"/historical": f"{_FOLDER}/historical", "/convert": f"{_FOLDER}/convert"},
)
