"""The coins and metals that have prices, and the coin that a venue's symbol stands for.

The tables `coins.csv`, `coin_aliases.csv` and `metals.csv` are read once at import. A symbol that is also the code of a
metal or a currency, even a retired one, is never a coin, because a client who writes it means the currency. Coins that
are left out for this reason are in `coin_clashes.csv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.minor_units import CURRENCY_CODES, MINOR_UNITS
from cambist.reference.table_loader import Handle, Table, Text

_Symbol = Annotated[str, Meta(pattern=r"^[A-Z0-9]{1,12}\Z")]


class AssetKind(StrEnum):
    """What a code can stand for."""

    CURRENCY = "currency"
    METAL = "metal"
    COIN = "coin"


class MetalKind(StrEnum):
    """Whether a metal's price is of a weight of the pure metal, or of a weight of a contract grade."""

    PRECIOUS = "precious"
    BASE = "base"


class Metal(Struct, frozen=True):
    """A metal, with the handle of the unit of mass that it is quoted in."""

    code: Annotated[str, Meta(pattern=r"^X[A-Z]{2}\Z")]
    name: Text
    unit: Handle
    kind: MetalKind

    def __post_init__(self) -> None:
        """Refuse the code of a currency."""
        if self.code in CURRENCIES:
            raise ValueError(f"code: {self.code} is the {CURRENCIES[self.code].name}")


METAL_TABLE = Table("metals.csv", Metal, unique=("code",))
METALS: Mapping[str, Metal] = MappingProxyType({metal.code: metal for metal in METAL_TABLE.read()})


class Coin(Struct, frozen=True):
    """A cryptocurrency; a stablecoin is one too."""

    symbol: _Symbol
    name: Text

    def __post_init__(self) -> None:
        """Refuse the code of a currency or a metal."""
        _check_is_free(self.symbol)


class CoinAlias(Struct, frozen=True):
    """The coin that a venue's symbol stands for, if not the coin of that symbol; None if it is not in coins.csv."""

    venue: Text
    symbol: _Symbol
    coin: Text | None
    reason: Text

    def __post_init__(self) -> None:
        """Refuse the code of a currency or a metal, and a coin that is not in coins.csv."""
        _check_is_free(self.symbol)
        if self.coin is not None and self.coin not in COINS:
            raise ValueError(f"coin: {self.coin!r} is not in coins.csv")


def _check_is_free(symbol: str) -> None:
    taken = CURRENCIES.get(symbol) or METALS.get(symbol) or MINOR_UNITS.get(symbol)
    if taken:
        raise ValueError(f"symbol: {symbol} is the {taken.name}: its place is coin_clashes.csv")


COIN_TABLE = Table("coins.csv", Coin, unique=("symbol",))
COIN_ALIAS_TABLE = Table("coin_aliases.csv", CoinAlias, unique=("venue", "symbol"))

COINS: Mapping[str, Coin] = MappingProxyType(
    {coin.symbol: coin for coin in sorted(COIN_TABLE.read(), key=lambda coin: coin.symbol)}
)
COIN_BY_VENUE_SYMBOL: Mapping[tuple[str, str], str | None] = MappingProxyType(
    {(alias.venue, alias.symbol): alias.coin for alias in COIN_ALIAS_TABLE.read()}
)
"""The coin by venue and symbol, where the symbol is not the coin of that name; None if the coin is not in coins.csv.

Symbols are as the venue's adapter returns them. An adapter that already translates a symbol needs no alias.
"""


def coin_for_symbol(venue: str, symbol: str) -> str | None:
    """Return the coin that a venue's symbol stands for; None if it is a currency, a metal or an unknown coin."""
    return COIN_BY_VENUE_SYMBOL.get((venue, symbol), symbol if symbol in COINS else None)


def kind_of(code: str) -> AssetKind | None:
    """Return what a code stands for; None if it is not in any table."""
    if code in CURRENCY_CODES:
        return AssetKind.CURRENCY
    if code in METALS:
        return AssetKind.METAL
    return AssetKind.COIN if code in COINS else None


def name_of(code: str) -> str | None:
    """Return the name of the currency, metal or coin with a code; None if there is none."""
    found = CURRENCIES.get(code) or METALS.get(code) or COINS.get(code) or MINOR_UNITS.get(code)
    return found.name if found else None
