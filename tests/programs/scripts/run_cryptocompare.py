"""cryptocompare with its fixed host: python run_cryptocompare.py KEY."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

import cryptocompare

os.environ["CRYPTOCOMPARE_API_KEY"] = sys.argv[1]
print(
    json.dumps(
        {
            "price": cryptocompare.get_price("BTC", "EUR"),
            "prices": cryptocompare.get_price(["BTC", "ETH"], ["USD", "JPY"]),
            "days": cryptocompare.get_historical_price_day(
                "BTC", "USD", limit=3, toTs=datetime(2024, 3, 2, tzinfo=UTC)
            ),
            "unknown": cryptocompare.get_price("NOPENOPE", "EUR"),
        }
    )
)
