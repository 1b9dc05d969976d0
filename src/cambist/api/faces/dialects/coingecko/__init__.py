"""The dialect `coingecko`: the prices of CoinGecko's interface, version 3, of the coins that are priced here.

Known from the document coingecko-demo.json in coingecko/coingecko-api-oas, and from its clients Ghostfolio, rotki,
BittyTax, Electrum and pycoingecko, which write paths with and without a slash at the end.
"""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.coingecko import answers
from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.errors import CambistError

_FOLDER = "/api/v3"
_FLAGS = (
    "include_market_cap", "include_24hr_vol", "include_24hr_change", "include_last_updated_at", "include_tokens",
)  # fmt: skip
_SIMPLE = ("ids", "symbols", "vs_currencies", "precision", *_FLAGS)
_OF_KEYS = frozenset({401, 429})


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: flat, and about keys and limits with its status."""
    _ = error
    if sentence == "coin not found":
        return 404, msgspec.json.encode({"error": sentence})
    if status in _OF_KEYS:
        return status, msgspec.json.encode({"status": {"error_code": status, "error_message": sentence}})
    return status, msgspec.json.encode({"error": sentence, "code": code})


dialect = Dialect(
    name="coingecko",
    title="CoinGecko",
    guide="dialect-coingecko.md",
    routes=(
        DialectRoute(f"{_FOLDER}/ping", answers.ping, tag="crypto"),
        DialectRoute(
            f"{_FOLDER}/simple/price",
            answers.simple_price,
            _SIMPLE,
            tag="crypto",
            live_with=_SIMPLE,
        ),
        DialectRoute(f"{_FOLDER}/simple/supported_vs_currencies", answers.supported_currencies, tag="crypto"),
        DialectRoute(f"{_FOLDER}/coins/list", answers.coin_list, ("include_platform", "status"), tag="crypto"),
        DialectRoute(
            f"{_FOLDER}/coins/markets",
            answers.markets,
            ("vs_currency", "ids", "symbols", "precision", "per_page", "page"),
            tag="crypto",
        ),
        DialectRoute(
            f"{_FOLDER}/coins/{{id}}/market_chart",
            answers.market_chart,
            ("vs_currency", "days", "interval"),
            tag="crypto",
            series_with=(),
        ),
        DialectRoute(f"{_FOLDER}/coins/{{id}}/history", answers.history, ("date", "localization"), tag="crypto"),
        DialectRoute(f"{_FOLDER}/exchange_rates", answers.exchange_rates, tag="crypto"),
    ),
    write_error=write_error,
    key_parameters=("x_cg_demo_api_key", "x_cg_pro_api_key"),
    key_headers=("x-cg-demo-api-key", "x-cg-pro-api-key"),
)
