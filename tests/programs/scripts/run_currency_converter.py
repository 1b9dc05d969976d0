"""CurrencyConverter: python run_currency_converter.py URL. Writes rates of the euro."""

from __future__ import annotations

import json
import sys
from datetime import date

from currency_converter import CurrencyConverter

converter = CurrencyConverter(sys.argv[1])
days = {day: converter.convert(1, "EUR", "USD", date=date.fromisoformat(day)) for day in ("2015-01-15", "2024-02-29")}
last = converter.bounds["USD"].last_date
print(json.dumps({"days": days, "last": str(last), "first": str(converter.bounds["USD"].first_date)}))
