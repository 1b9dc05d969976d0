"""beanprice's sources with their fixed hosts: python run_beanprice.py SOURCE TICKER."""

from __future__ import annotations

import importlib
import json
import sys
from datetime import UTC, datetime

source = importlib.import_module(f"beanprice.sources.{sys.argv[1]}").Source()
latest = source.get_latest_price(sys.argv[2])
past = source.get_historical_price(sys.argv[2], datetime(2024, 3, 2, tzinfo=UTC))
print(
    json.dumps(
        {
            "latest": float(latest.price),
            "past": float(past.price),
            "past_day": str(past.time.date()),
            "quote": past.quote_currency,
        }
    )
)
