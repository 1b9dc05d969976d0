"""pymempool with its first fixed host."""

from __future__ import annotations

import json

from pymempool import MempoolAPI

client = MempoolAPI(retries=0)
print(json.dumps({"prices": client.get_price(), "past": client.get_historical_price("EUR", 1709164800)}))
