"""easy-exchange-rates with its fixed host."""

from __future__ import annotations

from easy_exchange_rates import API

found = API().get_exchange_rates(start_date="2024-02-28", end_date="2024-03-04", targets=["USD", "JPY"])
print(found.to_json())
