"""Parameters for symbols: the codes of assets, pairs, metals instruments, and lists of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, UnknownMetal, UnknownSymbol, shorten
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS, METALS, AssetKind, kind_of
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.minor_units import MINOR_UNITS, mixed_case_hint, spelled_code

MAX_CODES = 500
MAX_PAIRS = 10

Kinds = frozenset[AssetKind]
MONEY: Kinds = frozenset({AssetKind.CURRENCY})
MONEY_AND_METALS: Kinds = MONEY | {AssetKind.METAL}
ANY_ASSET: Kinds = frozenset(AssetKind)
_HINTS = {
    AssetKind.COIN: "a coin: coins are found at /fetch-one, /convert and /crypto/fetch-prices",
    AssetKind.METAL: "a metal: metals are found at /fetch-one, /fetch-multi and /metals/spot",
}

_CODE_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}$"}
_ASSET_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]{1,12}$"}
_LIST_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}(,[A-Z]{3})*$"}
_PAIRS_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]+/[A-Z0-9]+(,[A-Z0-9]+/[A-Z0-9]+)*$"}
_INSTRUMENTS_SCHEMA = {"type": "string", "pattern": "^[A-Z]{6,7}(,[A-Z]{6,7})*$"}
_FX_PAIRS_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}/?[A-Z]{3}(,[A-Z]{3}/?[A-Z]{3})*$"}


class Codes(tuple[str, ...]):  # noqa: SLOT001  a tuple cannot have slots with anything in them
    """The valid codes of a list, and the errors of the `unknown` ones."""

    unknown: tuple[UnknownSymbol, ...] = ()

    def __repr__(self) -> str:
        """Show the valid and the unknown codes."""
        return f"Codes({', '.join([*self, *(error.symbol for error in self.unknown)])})"


def code(name: str, role: str, kinds: Kinds = MONEY, **options: Any) -> Param:
    """Declare the code of an asset of these kinds; `role` is `source` or `target`."""
    parse, values = lambda _, text: read_code(text, role, kinds), _symbols(kinds)
    return Param(name, parse, values=values, schema=_CODE_SCHEMA, **options)


def asset(name: str, role: str, **options: Any) -> Param:
    """Declare the code of a currency, a metal or a coin."""
    parse, values = lambda _, text: read_code(text, role, ANY_ASSET), _symbols(ANY_ASSET)
    return Param(name, parse, values=values, schema=_ASSET_SCHEMA, **options)


def codes(name: str, role: str, kinds: Kinds = MONEY, max_count: int = MAX_CODES, **options: Any) -> Param:
    """Declare a comma-separated list of codes of these kinds, parsed into `Codes`; repeats are dropped."""
    return Param(name, lambda _, text: _parse_codes(name, text, role, kinds, max_count), schema=_LIST_SCHEMA, **options)


def pairs(name: str, **options: Any) -> Param:
    """Declare a comma-separated list of at most ten pairs of coins, written BASE/QUOTE; repeats are dropped."""
    return Param(name, _parse_pairs, schema=_PAIRS_SCHEMA, **options)


def instruments(name: str, **options: Any) -> Param:
    """Declare a comma-separated list of metals instruments; the endpoint checks that they exist."""
    return Param(name, _parse_instruments, schema=_INSTRUMENTS_SCHEMA, **options)


def fx_pairs(name: str, **options: Any) -> Param:
    """Declare a comma-separated list of at most ten fx pairs; the endpoint checks that they exist."""
    return Param(name, _parse_fx_pairs, schema=_FX_PAIRS_SCHEMA, **options)


def metal(name: str, **options: Any) -> Param:
    """Declare the code of a metal."""
    return Param(name, lambda _, text: _parse_metal(text), schema={"type": "string", "enum": list(METALS)}, **options)


def split_list(text: str) -> list[str]:
    """Split a list at its commas; spaces and empty items are dropped."""
    return [item for part in text.split(",") if (item := part.strip())]


@cache
def _symbols(kinds: Kinds) -> frozenset[str]:
    return frozenset(symbol for symbol in (*CURRENCIES, *MINOR_UNITS, *METALS, *COINS) if kind_of(symbol) in kinds)


def read_code(text: str, role: str = "source", kinds: Kinds = MONEY_AND_METALS) -> str:
    """Return the code of an asset of these kinds, in its own case. Errors: UnknownSymbol."""
    symbol = spelled_code(text.strip())
    kind = kind_of(symbol)
    if kind not in kinds:
        raise UnknownSymbol(text, role, _HINTS.get(kind, "") if kind else mixed_case_hint(symbol))
    return symbol


def _parse_codes(name: str, text: str, role: str, kinds: Kinds, max_count: int) -> Codes:
    items = dict.fromkeys(split_list(text))
    if not items:
        raise BadParameter(f"Missing parameter: [{name}] holds no currency code: [{shorten(text)}]")
    valid: dict[str, None] = {}
    unknown: list[UnknownSymbol] = []
    for item in items:
        try:
            valid[read_code(item, role, kinds)] = None
        except UnknownSymbol as error:
            unknown.append(error)
    if (count := len(valid) + len(unknown)) > max_count:
        raise BadParameter(f"Too many currencies in [{name}]: [{count}], at most {max_count}")
    if not valid:
        raise unknown[0]
    codes = Codes(valid)
    codes.unknown = tuple(unknown)
    return codes


def _parse_pairs(name: str, text: str) -> tuple[Pair, ...]:
    pairs = tuple(dict.fromkeys(_parse_pair(name, item) for item in split_list(text)))
    _check_pair_count(name, text, len(pairs))
    return pairs


def _parse_pair(name: str, text: str) -> Pair:
    spell = spelled_code if text.isascii() else str
    base, slash, quote = (spell(part.strip()) for part in text.partition("/"))
    if not (base and slash and quote) or "/" in quote:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], a pair is written BASE/QUOTE, such as BTC/USD")
    return Pair(base, quote)


def _parse_instruments(name: str, text: str) -> tuple[str, ...]:
    symbols = tuple(dict.fromkeys(_joined(item) for item in split_list(text)))
    if not symbols:
        raise BadParameter(f"Missing parameter: [{name}] holds no instrument: [{shorten(text)}]")
    return symbols


def _parse_fx_pairs(name: str, text: str) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for item in split_list(text):
        names.setdefault(_joined(item), item)
    _check_pair_count(name, text, len(names))
    return tuple(names.values())


def _joined(text: str) -> str:
    """Return the name of a pair without a slash."""
    parts = text.split("/") if "/" in text else (text[:3], text[3:])
    return "".join(spelled_code(part.strip()) for part in parts) if text.isascii() else "".join(parts)


def _check_pair_count(name: str, text: str, count: int) -> None:
    if not count:
        raise BadParameter(f"Missing parameter: [{name}] holds no pair: [{shorten(text)}]")
    if count > MAX_PAIRS:
        raise BadParameter(f"Too many pairs in [{name}]: [{count}], at most {MAX_PAIRS}")


def _parse_metal(text: str) -> str:
    symbol = spelled_code(text)
    if symbol not in METALS:
        raise UnknownMetal(text, "", f"options are [{', '.join(METALS)}], one in a request")
    return symbol
