"""The types of parameters: codes, pairs, instruments and lists of them, days, durations, flags."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

import msgspec

from cambist.api.parameters import Param
from cambist.errors import BadParameter, UnknownMetal, UnknownSymbol, shorten
from cambist.history.bars import Interval
from cambist.pricing.pair import Pair
from cambist.reference.assets import METALS, AssetKind, kind_of
from cambist.reference.weights import UNITS

MAX_CODES = 500
MAX_PAIRS = 10
EARLIEST_DAY = date(1970, 1, 1)
INTERVALS = ("P1D",)

Kinds = frozenset[AssetKind]
MONEY: Kinds = frozenset({AssetKind.CURRENCY})
MONEY_AND_METALS: Kinds = MONEY | {AssetKind.METAL}
ANY_ASSET: Kinds = frozenset(AssetKind)
_HINTS = {
    AssetKind.COIN: "a coin: coins are found at /fetch-one, /convert and /crypto/fetch-prices",
    AssetKind.METAL: "a metal: metals are found at /fetch-one, /fetch-multi and /metals/spot",
}

_SIDES = ("bid", "ask")
_COUNT = re.compile(r"[0-9]{1,9}")
_TRUE_VALUES = frozenset({"true", "1", "yes", "y"})
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CODE_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}$"}
_ASSET_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]{1,12}$"}
_LIST_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}(,[A-Z]{3})*$"}
_PAIRS_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]+/[A-Z0-9]+(,[A-Z0-9]+/[A-Z0-9]+)*$"}
_INSTRUMENTS_SCHEMA = {"type": "string", "pattern": "^[A-Z]{6,7}(,[A-Z]{6,7})*$"}
_FX_PAIRS_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}/?[A-Z]{3}(,[A-Z]{3}/?[A-Z]{3})*$"}
_DAY_SCHEMA = {"type": "string", "format": "date", "examples": ["2024-02-29"]}


class Codes(tuple[str, ...]):  # noqa: SLOT001  a tuple cannot have slots with anything in them
    """The valid codes of a list, and the errors of the `unknown` ones."""

    unknown: tuple[UnknownSymbol, ...] = ()

    def __repr__(self) -> str:
        """Show the valid and the unknown codes."""
        return f"Codes({', '.join([*self, *(error.symbol for error in self.unknown)])})"


def code(name: str, role: str, kinds: Kinds = MONEY, **options: Any) -> Param:
    """Declare the code of an asset of these kinds; `role` is `source` or `target`."""
    return Param(name, lambda _, text: _parse_code(text, role, kinds), schema=_CODE_SCHEMA, **options)


def asset(name: str, role: str, **options: Any) -> Param:
    """Declare the code of a currency, a metal or a coin."""
    return Param(name, lambda _, text: _parse_code(text, role, ANY_ASSET), schema=_ASSET_SCHEMA, **options)


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


def bar_interval(name: str, **options: Any) -> Param:
    """Declare the interval of a bar."""
    return Param(name, _parse_bar_interval, schema={"type": "string", "enum": list(Interval)}, **options)


def side(name: str, **options: Any) -> Param:
    """Declare a side, `bid` or `ask`."""
    return Param(name, _parse_side, schema={"type": "string", "enum": list(_SIDES)}, **options)


def limit(name: str, max_count: int, **options: Any) -> Param:
    """Declare a maximum number of rows, from 1 to `max_count`."""
    schema = {"type": "integer", "minimum": 1, "maximum": max_count}
    return Param(name, lambda _, text: _parse_limit(name, text, max_count), schema=schema, **options)


def metal(name: str, **options: Any) -> Param:
    """Declare the code of a metal."""
    return Param(name, lambda _, text: _parse_metal(text), schema={"type": "string", "enum": list(METALS)}, **options)


def unit(name: str, **options: Any) -> Param:
    """Declare the handle of a unit of mass."""
    return Param(name, _parse_unit, schema={"type": "string", "enum": list(UNITS)}, **options)


def text(name: str, **options: Any) -> Param:
    """Declare a text that the endpoint parses."""
    return Param(name, lambda _, text: text, **options)


def flag(name: str, **options: Any) -> Param:
    """Declare a flag: `true`, `1`, `yes` and `y` are true, everything else is false."""
    return Param(
        name,
        lambda _, text: text.isascii() and text.lower() in _TRUE_VALUES,
        default=False,
        selects_data=False,
        **options,
    )


def day(name: str, **options: Any) -> Param:
    """Declare a calendar day since 1970."""
    return Param(name, _parse_day, schema=_DAY_SCHEMA, **options)


def interval(name: str, **options: Any) -> Param:
    """Declare an interval; days are the only one."""
    return Param(name, _parse_interval, schema={"type": "string", "enum": list(INTERVALS)}, **options)


def duration(name: str, **options: Any) -> Param:
    """Declare an ISO 8601 duration."""
    return Param(
        name,
        _parse_duration,
        schema={"type": "string", "format": "duration", "examples": ["PT2H"]},
        selects_data=False,
        **options,
    )


def to_upper(text: str) -> str:
    """Return a code in upper case.

    Text beyond ASCII is left alone: upper case turns some letters into ASCII, such as a dotless i into an I.
    """
    return text.upper() if text.isascii() else text


def split_list(text: str) -> list[str]:
    """Split a list at its commas; spaces and empty items are dropped."""
    return [item for part in text.split(",") if (item := part.strip())]


def check_crossable(base: str, quote: str) -> None:
    """Refuse a coin priced in a metal, or a metal in a coin: no market trades them. Errors: BadParameter."""
    if {kind_of(base), kind_of(quote)} == {AssetKind.COIN, AssetKind.METAL}:
        raise BadParameter(f"Coins are not priced in metals: [{base}] to [{quote}]; go through a currency, such as USD")


def _parse_code(text: str, role: str, kinds: Kinds) -> str:
    symbol = to_upper(text)
    kind = kind_of(symbol)
    if kind not in kinds:
        raise UnknownSymbol(text, role, _HINTS.get(kind, "") if kind else "")
    return symbol


def _parse_codes(name: str, text: str, role: str, kinds: Kinds, max_count: int) -> Codes:
    items = dict.fromkeys(split_list(text))
    if not items:
        raise BadParameter(f"Missing parameter: [{name}] holds no currency code: [{shorten(text)}]")
    valid: dict[str, None] = {}
    unknown: list[UnknownSymbol] = []
    for item in items:
        try:
            valid[_parse_code(item, role, kinds)] = None
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
    base, slash, quote = (part.strip() for part in to_upper(text).partition("/"))
    if not (base and slash and quote) or "/" in quote:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], a pair is written BASE/QUOTE, such as BTC/USD")
    return Pair(base, quote)


def _parse_instruments(name: str, text: str) -> tuple[str, ...]:
    symbols = tuple(dict.fromkeys(to_upper(item).replace("/", "") for item in split_list(text)))
    if not symbols:
        raise BadParameter(f"Missing parameter: [{name}] holds no instrument: [{shorten(text)}]")
    return symbols


def _parse_fx_pairs(name: str, text: str) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for item in split_list(text):
        names.setdefault(to_upper(item).replace("/", ""), item)
    _check_pair_count(name, text, len(names))
    return tuple(names.values())


def _check_pair_count(name: str, text: str, count: int) -> None:
    if not count:
        raise BadParameter(f"Missing parameter: [{name}] holds no pair: [{shorten(text)}]")
    if count > MAX_PAIRS:
        raise BadParameter(f"Too many pairs in [{name}]: [{count}], at most {MAX_PAIRS}")


def _parse_bar_interval(name: str, text: str) -> Interval:
    return Interval(_parse_option(name, text, text.upper(), (Interval.DAY, Interval.HOUR, Interval.MINUTE)))


def _parse_side(name: str, text: str) -> str:
    return _parse_option(name, text, text.lower(), _SIDES)


def _parse_limit(name: str, text: str, max_count: int) -> int:
    value = int(text) if _COUNT.fullmatch(text) else 0
    if not 1 <= value <= max_count:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a whole number from 1 to {max_count}")
    return value


def _parse_metal(text: str) -> str:
    symbol = to_upper(text)
    if symbol not in METALS:
        raise UnknownMetal(text, "", f"options are [{', '.join(METALS)}], one in a request")
    return symbol


def _parse_unit(name: str, text: str) -> str:
    return _parse_option(name, text, text.lower() if text.isascii() else text, UNITS)


def _parse_day(name: str, text: str) -> date:
    try:
        value = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        value = None
    if value is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a day as YYYY-MM-DD, such as 2024-02-29")
    if value < EARLIEST_DAY:
        raise BadParameter(f"Invalid {name}: [{text}], history begins on {EARLIEST_DAY}")
    return value


def not_after_today(name: str, value: date, today: date) -> date:
    """Return a day, or today for tomorrow, which has begun in the time zones east of UTC.

    Errors: BadParameter for a later day.
    """
    if value > today + timedelta(days=1):
        raise BadParameter(f"Invalid {name}: [{value}] is in the future, today is {today} (UTC)")
    return min(value, today)


def _parse_interval(name: str, text: str) -> str:
    return _parse_option(name, text, text.upper(), INTERVALS)


def _parse_option(name: str, text: str, value: str, options: Collection[str]) -> str:
    if value not in options:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(options)}]")
    return value


def _parse_duration(name: str, text: str) -> timedelta:
    try:
        value = msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        value = timedelta(0)
    if value <= timedelta(0):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes an ISO 8601 duration, such as PT2H")
    return value
