"""py-currency-converter with its fixed host."""

from __future__ import annotations

import json

from py_currency_converter import convert

print(json.dumps(convert("EUR", amount=10, to=["USD", "JPY"])))
