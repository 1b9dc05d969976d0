"""cnb or cnb_exchange_rate with its fixed host: python run_cnb.py MODULE."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from datetime import date

tempfile.tempdir = tempfile.mkdtemp()  # one of them keeps what it was answered there
module = importlib.import_module(sys.argv[1])
found = {"days": {str(day): module.daily_rate("USD", day) for day in (date(2026, 3, 2), date(2026, 10, 1))}}
if sys.argv[1] == "cnb":
    sunday = date(2026, 3, 8)
    found |= {"before": module.rate("USD", sunday), "amounts": module.rate_tuple("JPY", sunday)[:2]}
    found |= {"converted": module.convert(10, "USD", "JPY", sunday)}
try:
    found["refused"] = module.daily_rate("VND", date(2026, 3, 2))
except (ValueError, KeyError) as error:
    found["refused"] = type(error).__name__
print(json.dumps(found))
