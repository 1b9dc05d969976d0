"""currencylayer with its fixed host: python run_currencylayer.py KEY."""

from __future__ import annotations

import json
import sys

from currencylayer import Client

client = Client(sys.argv[1])
print(
    json.dumps(
        {
            "names": client.currencies(),
            "live": client.live_rates("EUR"),
            "some": client.live_rates_for(["GBP", "JPY"]),
            "historical": client.historical("2024-02-29", "GBP"),
            "converted": client.convert("USD", "JPY", 10, "2024-02-29"),
            "timeframe": client.timeframe("2024-02-28", "2024-03-01", ["EUR", "GBP"]),
            "change": client.change_queries("2024-02-28", "2024-03-01", ["EUR"]),
            "refused": Client("wrong").live_rates(),
        },
        default=float,
    )
)
