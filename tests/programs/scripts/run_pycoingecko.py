"""pycoingecko with its fixed host: python run_pycoingecko.py KEY."""

from __future__ import annotations

import json
import sys

from pycoingecko import CoinGeckoAPI

client = CoinGeckoAPI(demo_api_key=sys.argv[1])
markets = client.get_coins_markets("usd", ids="bitcoin,ethereum")
refused = ""
try:
    CoinGeckoAPI().get_price(ids="bitcoin", vs_currencies="nonsense")
except ValueError as error:
    refused = str(error)
print(
    json.dumps(
        {
            "ping": client.ping(),
            "prices": client.get_price(ids=["bitcoin", "ethereum"], vs_currencies=["usd", "eur"]),
            "currencies": client.get_supported_vs_currencies(),
            "coins": {each["id"]: each["symbol"] for each in client.get_coins_list()},
            "markets": {each["id"]: each["current_price"] for each in markets},
            "past": client.get_coin_history_by_id("bitcoin", "29-02-2024")["market_data"]["current_price"]["eur"],
            "refused": refused,
        }
    )
)
