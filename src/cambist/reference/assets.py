"""The coins and metals that are priced, and what a venue's symbol stands for.

Read once at import from `coins.csv`, `coin_aliases.csv` and `metals.csv`, in the manner of the currencies. A symbol
that is a currency's code, even a retired one's, or a metal's is never a coin: a client who writes it means money. The
coins that go without for it stand in `coin_clashes.csv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.table import Handle, Table, Text
from cambist.reference.tables import CURRENCIES

_Symbol = Annotated[str, Meta(pattern=r"^[A-Z0-9]{1,12}\Z")]


class AssetKind(StrEnum):
    """What a code can stand for."""

    CURRENCY = "currency"
    METAL = "metal"
    COIN = "coin"


class MetalKind(StrEnum):
    """What a metal's price is of: a weight of the pure metal, or a weight of one contract grade."""

    PRECIOUS = "precious"
    BASE = "base"


class Metal(Struct, frozen=True):
    """A metal, and the handle of the unit of mass that its price is quoted for."""

    code: Annotated[str, Meta(pattern=r"^X[A-Z]{2}\Z")]
    name: Text
    unit: Handle
    kind: MetalKind

    def __post_init__(self) -> None:
        """Refuse a code that is a currency's."""
        if self.code in CURRENCIES:
            raise ValueError(f"code: {self.code} is the {CURRENCIES[self.code].name}")


METAL_TABLE = Table("metals.csv", Metal, unique=("code",))
METALS: Mapping[str, Metal] = MappingProxyType({metal.code: metal for metal in METAL_TABLE.read()})


class Coin(Struct, frozen=True):
    """A cryptocurrency, stablecoins among them."""

    symbol: _Symbol
    name: Text

    def __post_init__(self) -> None:
        """Refuse a symbol that means money or a metal."""
        _check_is_free(self.symbol)


class CoinAlias(Struct, frozen=True):
    """What a venue's symbol stands for where it is not the coin of that symbol; None where we have no such coin."""

    venue: Text
    symbol: _Symbol
    coin: Text | None
    reason: Text

    def __post_init__(self) -> None:
        """Refuse a symbol that means money or a metal, and a coin that is not ours."""
        _check_is_free(self.symbol)
        if self.coin is not None and self.coin not in COINS:
            raise ValueError(f"coin: {self.coin!r} is not in coins.csv")


def _check_is_free(symbol: str) -> None:
    taken = CURRENCIES.get(symbol) or METALS.get(symbol)
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
"""The coin that a venue's symbol stands for where it is not the coin of that symbol; None where we have no such coin.

Symbols are as the venue's feed gives them: what a feed itself writes in everyone's codes is not renamed here again.
"""


def coin_for_symbol(venue: str, symbol: str) -> str | None:
    """Give the coin that a venue's symbol stands for, None where that is none of ours, a currency or a metal."""
    return COIN_BY_VENUE_SYMBOL.get((venue, symbol), symbol if symbol in COINS else None)


def kind_of(code: str) -> AssetKind | None:
    """Give what sort of thing a code stands for, None where it stands for nothing."""
    if code in CURRENCIES:
        return AssetKind.CURRENCY
    if code in METALS:
        return AssetKind.METAL
    return AssetKind.COIN if code in COINS else None


def name_of(code: str) -> str | None:
    """Give the name of the currency, metal or coin with that code, None where there is none."""
    found = CURRENCIES.get(code) or METALS.get(code) or COINS.get(code)
    return found.name if found else None
