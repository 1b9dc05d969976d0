"""openexchangerate with its fixed host: python run_openexchangerate.py KEY."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

from openexchangerate import OpenExchangeRates

client = OpenExchangeRates(api_key=sys.argv[1], round_float=False)
print(
    json.dumps(
        {
            "latest": client.latest().dict,
            "historical": client.historical(datetime(2024, 2, 29, tzinfo=UTC)).dict,
            "names": client.currencies().dict,
        }
    )
)
