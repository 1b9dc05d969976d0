"""Minor units that exchanges quote prices in, such as pence: codes of their own, some of them told by letter case.

`GBp` is a hundredth of a `GBP`. Whoever reads one as the other is wrong by a factor of 100, so codes are read by
`spelled_code`, and never by `str.upper` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.table_loader import Code, Table, Text


class MinorUnit(Struct, frozen=True):
    """A code of which `units` are one unit of a currency, from a first day on."""

    code: Annotated[str, Meta(pattern=r"^[A-Z]{2}[A-Za-z]\Z")]
    currency: Code
    units: Annotated[int, Meta(ge=2)]
    name: Text
    first_day: date

    def __post_init__(self) -> None:
        """Refuse the code of a currency, and a currency that does not exist."""
        if self.code in CURRENCIES:
            raise ValueError(f"code: {self.code} is the {CURRENCIES[self.code].name}")
        if self.currency not in CURRENCIES:
            raise ValueError(f"currency: {self.currency} is not in currencies.csv")


MINOR_UNIT_TABLE = Table("minor_units.csv", MinorUnit, unique=("code",))
MINOR_UNITS: Mapping[str, MinorUnit] = MappingProxyType({unit.code: unit for unit in MINOR_UNIT_TABLE.read()})

CURRENCY_CODES = frozenset({*CURRENCIES, *MINOR_UNITS})
"""The codes of all money: currencies and minor units of them."""


def spelled_code(text: str) -> str:
    """Return the code that a text spells: as it is for a minor unit, in upper case for any other.

    A currency in mixed case is left as it is, and so is no code: its writer may mean a minor unit of it. Text beyond
    ASCII is left alone too, because upper case turns some letters into ASCII, such as a dotless i into an I.
    """
    if text in MINOR_UNITS or not text.isascii():
        return text
    code = text.upper()
    return text if code in CURRENCIES and text not in (code, code.lower(), code.capitalize()) else code


def mixed_case_hint(text: str) -> str:
    """Return which two codes a currency in mixed case may mean; empty for other texts."""
    code = text.upper()
    if not text.isascii() or code not in CURRENCIES or spelled_code(text) == code:
        return ""
    minor = next((unit.code for unit in MINOR_UNITS.values() if unit.currency == code and unit.code != code), "")
    other = f"[{minor}], its minor unit" if minor else "a minor unit of it"
    return f"in mixed case: write [{code}] for the currency, or the code of {other}"
