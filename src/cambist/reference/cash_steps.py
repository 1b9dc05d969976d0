"""Cash steps: the smallest amount that can be paid with coins, where that is more than a minor unit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from msgspec import Struct

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.table_loader import Code, Table


class CashStep(Struct, frozen=True):
    """Amounts of a currency that are paid in cash are rounded to a multiple of `step`; the coins below it are gone."""

    code: Code
    step: Decimal
    since: date

    def __post_init__(self) -> None:
        """Refuse a code that is not a currency."""
        if self.code not in CURRENCIES:
            raise ValueError(f"code: {self.code} is no currency")


CASH_STEP_TABLE = Table("cash_steps.csv", CashStep, unique=("code",))
CASH_STEPS: Mapping[str, Decimal] = MappingProxyType({row.code: row.step for row in CASH_STEP_TABLE.read()})
"""The cash step by currency."""
