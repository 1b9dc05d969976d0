"""The prices of gold of the National Bank of Poland, by days, from what the source `nbp` published."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.bank_rates import BankRates
from cambist.api.faces.dialects.nbp.periods import TablePeriod
from cambist.api.faces.dialects.nbp.table_a import BANK
from cambist.errors import NoRate
from cambist.history.fixing import GRAMS_OF_A_TROY_OUNCE

_GOLD = "XAU"
_DECIMALS = 2


def published_gold(context: RequestContext, period: TablePeriod) -> Mapping[date, str]:
    """Return zlotys for a gram, as they were published, oldest first. Errors: NoRate if there is none."""
    by_ounce = BankRates(context, BANK, (_GOLD,)).days(_GOLD, period.first, period.last)
    if period.most is not None:
        by_ounce = dict(list(by_ounce.items())[-period.most :])
    if not by_ounce:
        raise NoRate(f"No price of gold was published between [{period.first}] and [{period.last}]")
    grams = float(GRAMS_OF_A_TROY_OUNCE)  # a price by the gram has two decimals: dividing brings back just these
    return {day: f"{price / grams:.{_DECIMALS}f}" for day, price in by_ounce.items()}
