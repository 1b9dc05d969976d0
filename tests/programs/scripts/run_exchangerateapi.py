"""ExchangeRateApi with its fixed host: python run_exchangerateapi.py KEY."""

from __future__ import annotations

import json
import os
import sys
import tempfile

from ExchangeRateApi import ExchangeRateApi

os.chdir(tempfile.mkdtemp())  # it writes a log where it runs
client = ExchangeRateApi(sys.argv[1])
print(
    json.dumps(
        {
            "rates": client.get_latest("eur"),
            "pair": client.get_pair_conversion("USD", "JPY", 10.0),
            "past": client.get_historical_data("USD", 29, 2, 2024, 10),
            "quota": client.get_quota(),
            "refused": client.get_latest("NOPE"),
        }
    )
)
