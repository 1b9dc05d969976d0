"""The countries and territories in which a currency is or was legal tender, by their usual English names.

The table `countries.csv` is read when this module is imported. People look for a currency by the name of its country;
nothing is computed from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.table_loader import Code, Table, Text


class Country(Struct, frozen=True):
    """A country in which the currency `code` is legal tender, or was when it existed."""

    code: Code
    country: Text

    def __post_init__(self) -> None:
        """Refuse a code that is no currency."""
        if self.code not in CURRENCIES:
            raise ValueError(f"code: {self.code} is not in currencies.csv")


def countries_of(rows: Sequence[Country]) -> Mapping[str, tuple[str, ...]]:
    """Return the countries by currency, in the order of the rows."""
    codes = dict.fromkeys(row.code for row in rows)
    return MappingProxyType({code: tuple(row.country for row in rows if row.code == code) for code in codes})


COUNTRY_TABLE = Table("countries.csv", Country, unique=("code", "country"))
COUNTRIES: Mapping[str, tuple[str, ...]] = countries_of(COUNTRY_TABLE.read())
"""Countries by currency. Currencies of accounts, such as the SDR, have none."""
