"""pynbpapi with its fixed host."""

from __future__ import annotations

import json
from datetime import date

import pynbpapi

FIRST, LAST = date(2026, 3, 2), date(2026, 3, 6)

rates = pynbpapi.get_fx_rates(["USD", "JPY"], date(2026, 1, 2), date(2026, 10, 30))
gold = pynbpapi.get_gold_prices(FIRST, LAST)
tables = pynbpapi.get_nbp_fx_tables("A", FIRST, LAST)
found = {
    "rates": {f"{row.pair} {row.date}": row.rate for row in rates.itertuples()},
    "gold": {row.date: row.price_of_1g_of_gold_in_pln for row in gold.itertuples()},
    "tables": {f"{row.code} {row.date}": row.mid for row in tables.itertuples()},
}
print(json.dumps(found))
