"""The coins and metals that are priced, and what a venue's symbol stands for.

Read once at import from `coins.csv`, `coin_aliases.csv` and `metals.csv`, in the manner of the currencies. A symbol
that is a currency's code, even a retired one's, or a metal's is never a coin: a client who writes it means money. The
coins that go without for it stand in `coin_clashes.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from importlib import resources
from types import MappingProxyType

from cambist.reference.records import Coin, Metal, MetalKind
from cambist.reference.rows import Row, read_rows
from cambist.reference.tables import CURRENCIES

__all__ = ["COINS", "COIN_OF", "METALS", "AssetKind", "Coin", "Metal", "MetalKind", "coin_on", "kind_of", "name_of"]

_SYMBOL = re.compile(r"[A-Z0-9]{1,12}")
_METAL = re.compile(r"X[A-Z]{2}")
_UNIT = re.compile(r"[a-z]+(_[a-z]+)*")


class AssetKind(StrEnum):
    """What a code can stand for."""

    CURRENCY = "currency"
    METAL = "metal"
    COIN = "coin"


def _metals(text: str) -> Mapping[str, Metal]:
    metals: dict[str, Metal] = {}
    for row in read_rows("metals.csv", text, "code,name,unit,kind"):
        metal = Metal(_metal_code(row), row.text("name"), _unit(row), _metal_kind(row))
        if metal.code in metals:
            raise row.broken("code", f"{metal.code} stands here twice")
        metals[metal.code] = metal
    return MappingProxyType(metals)


def _metal_code(row: Row) -> str:
    code = row.text("code")
    if not _METAL.fullmatch(code):
        raise row.broken("code", f"{code!r} is not an X and two capital letters")
    if code in CURRENCIES:
        raise row.broken("code", f"{code} is the {CURRENCIES[code].name}")
    return code


def _unit(row: Row) -> str:
    unit = row.text("unit")
    if not _UNIT.fullmatch(unit):
        raise row.broken("unit", f"{unit!r} is not a handle of small letters")
    return unit


def _metal_kind(row: Row) -> MetalKind:
    text = row.text("kind")
    try:
        return MetalKind(text)
    except ValueError as error:
        raise row.broken("kind", f"{text!r} is not one of {', '.join(MetalKind)}") from error


def _coins(text: str, metals: Mapping[str, Metal]) -> Mapping[str, Coin]:
    coins: dict[str, Coin] = {}
    for row in read_rows("coins.csv", text, "symbol,name"):
        coin = Coin(_symbol(row, metals), row.text("name"))
        if coin.symbol in coins:
            raise row.broken("symbol", f"{coin.symbol} stands here twice")
        coins[coin.symbol] = coin
    return MappingProxyType(dict(sorted(coins.items())))


def _coin_of(text: str, coins: Mapping[str, Coin], metals: Mapping[str, Metal]) -> Mapping[tuple[str, str], str | None]:
    meant: dict[tuple[str, str], str | None] = {}
    for row in read_rows("coin_aliases.csv", text, "venue,symbol,coin,reason"):
        row.text("reason")
        key = row.text("venue"), _symbol(row, metals)
        if key in meant:
            raise row.broken("symbol", f"{key[1]} on {key[0]} stands here twice")
        meant[key] = row.fields["coin"] or None
        if meant[key] not in {None, *coins}:
            raise row.broken("coin", f"{meant[key]!r} is not in coins.csv")
    return MappingProxyType(meant)


def _symbol(row: Row, metals: Mapping[str, Metal]) -> str:
    symbol = row.text("symbol")
    if not _SYMBOL.fullmatch(symbol):
        raise row.broken("symbol", f"{symbol!r} is not one to twelve capital letters and digits")
    taken = CURRENCIES.get(symbol) or metals.get(symbol)
    if taken:
        raise row.broken("symbol", f"{symbol} is the {taken.name}: its place is coin_clashes.csv")
    return symbol


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


METALS: Mapping[str, Metal] = _metals(_read("metals.csv"))
COINS: Mapping[str, Coin] = _coins(_read("coins.csv"), METALS)
COIN_OF: Mapping[tuple[str, str], str | None] = _coin_of(_read("coin_aliases.csv"), COINS, METALS)
"""The coin that a venue's symbol stands for where it is not the coin of that symbol; None where we have no such coin.

Symbols are as the venue's feed gives them: what a feed itself writes in everyone's codes is not renamed here again.
"""


def coin_on(venue: str, symbol: str) -> str | None:
    """Give the coin that a venue's symbol stands for, None where that is none of ours, a currency or a metal."""
    return COIN_OF.get((venue, symbol), symbol if symbol in COINS else None)


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
