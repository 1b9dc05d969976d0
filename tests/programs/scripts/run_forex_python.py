"""forex-python with its fixed host. Writes what it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from forex_python.converter import CurrencyRates

rates = CurrencyRates()
day = datetime(2024, 2, 29, tzinfo=UTC)
print(
    json.dumps(
        {
            "rate": rates.get_rate("USD", "EUR"),
            "rates": rates.get_rates("GBP"),
            "on_day": rates.get_rate("USD", "EUR", day),
            "converted": rates.convert("USD", "JPY", 10, day),
        }
    )
)
