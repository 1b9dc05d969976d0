"""Quote sizes: for how many units a weak currency is quoted, because the price of one unit would be mostly zeros.

The rule: the largest power of ten that is no more than a dollar's worth of the currency on 2026-09-29, from 100 to
100,000. `quote_sizes.csv` has that worth, in two digits, of the currencies of which a dollar buys a hundred or more. It
is read once at import, and the day is fixed, so that a client may rely on the sizes while rates move.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.table_loader import Code, Table

_LEAST, _MOST = 100, 100_000


class DollarWorth(Struct, frozen=True):
    """The units of a weak currency for one dollar."""

    code: Code
    per_dollar: Annotated[int, Meta(ge=_LEAST)]

    def __post_init__(self) -> None:
        """Refuse a code that is not a currency."""
        if self.code not in CURRENCIES:
            raise ValueError(f"code: {self.code} is no currency")

    @property
    def size(self) -> int:
        """The largest power of ten that is no more than a dollar's worth, within the bounds."""
        power = len(str(self.per_dollar)) - 1
        return min(_MOST, int(10**power))


SIZE_TABLE = Table("quote_sizes.csv", DollarWorth, unique=("code",))
SIZES: Mapping[str, int] = MappingProxyType({worth.code: worth.size for worth in SIZE_TABLE.read()})
"""The quote size by currency, for those quoted by more than one unit."""


def quote_size(base: str, quote: str) -> int:
    """Return for how many units of the base a pair is quoted. It is one if the quote currency is as weak."""
    return max(1, SIZES[base] // SIZES.get(quote, 1)) if base in SIZES else 1
