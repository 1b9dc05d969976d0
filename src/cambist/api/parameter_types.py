"""How each kind of parameter is read: codes and lists of them, pairs, metals, days, durations."""

from __future__ import annotations

import re
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
# A plus that was not percent-encoded arrives as a blank.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CODE_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}$"}
_ASSET_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]{1,12}$"}
_LIST_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}(,[A-Z]{3})*$"}
_PAIRS_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]+/[A-Z0-9]+(,[A-Z0-9]+/[A-Z0-9]+)*$"}
_INSTRUMENTS_SCHEMA = {"type": "string", "pattern": "^[A-Z]{6,7}(,[A-Z]{6,7})*$"}
_NAMES_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}/?[A-Z]{3}(,[A-Z]{3}/?[A-Z]{3})*$"}
_DAY_SCHEMA = {"type": "string", "format": "date", "examples": ["2024-02-29"]}


class Codes(tuple[str, ...]):  # noqa: SLOT001  a tuple cannot have slots with anything in them
    """The known codes of a list, and the refusals of those that are `unknown`."""

    unknown: tuple[UnknownSymbol, ...] = ()

    def __repr__(self) -> str:
        """Show both."""
        return f"Codes({', '.join([*self, *(error.symbol for error in self.unknown)])})"


def code(name: str, role: str, kinds: Kinds = MONEY, **rest: Any) -> Param:
    """Declare one code of a currency, or of what else `kinds` has; `role` is `source` or `target`."""
    return Param(name, lambda _, text: _code(text, role, kinds), schema=_CODE_SCHEMA, **rest)


def asset(name: str, role: str, **rest: Any) -> Param:
    """Declare one code of a currency, a metal or a coin."""
    return Param(name, lambda _, text: _code(text, role, ANY_ASSET), schema=_ASSET_SCHEMA, **rest)


def codes(name: str, role: str, kinds: Kinds = MONEY, most: int = MAX_CODES, **rest: Any) -> Param:
    """Declare a comma-separated list of codes of such kinds, read as `Codes`; a repeat counts once."""
    return Param(name, lambda _, text: _codes(name, text, role, kinds, most), schema=_LIST_SCHEMA, **rest)


def pairs(name: str, **rest: Any) -> Param:
    """Declare a comma-separated list of at most ten pairs of coins, each written BASE/QUOTE; a repeat counts once."""
    return Param(name, _pairs, schema=_PAIRS_SCHEMA, **rest)


def instruments(name: str, **rest: Any) -> Param:
    """Declare a comma-separated list of metals instruments; what they are is for the endpoint to say."""
    return Param(name, _instruments, schema=_INSTRUMENTS_SCHEMA, **rest)


def names(name: str, **rest: Any) -> Param:
    """Declare a comma-separated list of at most ten names of fx pairs; what they are is for the endpoint to say."""
    return Param(name, _names, schema=_NAMES_SCHEMA, **rest)


def bar_interval(name: str, **rest: Any) -> Param:
    """Declare the interval of a bar."""
    return Param(name, _bar_interval, schema={"type": "string", "enum": list(Interval)}, **rest)


def side(name: str, **rest: Any) -> Param:
    """Declare a side, `bid` or `ask`."""
    return Param(name, _side, schema={"type": "string", "enum": list(_SIDES)}, **rest)


def limit(name: str, most: int, **rest: Any) -> Param:
    """Declare how many rows an answer may have: from 1 to `most`; more are refused, not cut."""
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return Param(name, lambda _, given: _limit(name, given, most), schema=schema, **rest)


def metal(name: str, **rest: Any) -> Param:
    """Declare one metal's code."""
    return Param(name, lambda _, text: _metal(text), schema={"type": "string", "enum": list(METALS)}, **rest)


def unit(name: str, **rest: Any) -> Param:
    """Declare the handle of a unit of mass."""
    return Param(name, _unit, schema={"type": "string", "enum": list(UNITS)}, **rest)


def text(name: str, **rest: Any) -> Param:
    """Declare a text that only the endpoint can read."""
    return Param(name, lambda _, given: given, **rest)


def flag(name: str, **rest: Any) -> Param:
    """Declare a flag: `true`, `1`, `yes` and `y` set it, anything else does not."""
    return Param(
        name,
        lambda _, given: given.isascii() and given.lower() in _TRUE_VALUES,
        default=False,
        selects_data=False,
        **rest,
    )


def day(name: str, **rest: Any) -> Param:
    """Declare a calendar day since 1970."""
    return Param(name, _day, schema=_DAY_SCHEMA, **rest)


def interval(name: str, **rest: Any) -> Param:
    """Declare an interval; only days are offered."""
    return Param(name, _interval, schema={"type": "string", "enum": list(INTERVALS)}, **rest)


def age(name: str, **rest: Any) -> Param:
    """Declare a duration, as ISO 8601 writes it."""
    return Param(
        name, _age, schema={"type": "string", "format": "duration", "examples": ["PT2H"]}, selects_data=False, **rest
    )


def upper(text: str) -> str:
    """Write a code in upper case.

    Upper-casing turns some letters beyond ASCII into codes that nobody wrote: a dotless i into an I.
    """
    return text.upper() if text.isascii() else text


def items(text: str) -> list[str]:
    """Split a list at its commas, without blanks and empty items."""
    return [item for part in text.split(",") if (item := part.strip())]


def check_crossable(base: str, quote: str) -> None:
    """Refuse a coin against a metal: nobody deals them, and the interface has no such rates. Errors: BadParameter."""
    if {kind_of(base), kind_of(quote)} == {AssetKind.COIN, AssetKind.METAL}:
        raise BadParameter(f"Coins are not priced in metals: [{base}] to [{quote}]; go through a currency, such as USD")


def _code(text: str, role: str, kinds: Kinds) -> str:
    symbol = upper(text)
    kind = kind_of(symbol)
    if kind not in kinds:
        raise UnknownSymbol(text, role, _HINTS.get(kind, "") if kind else "")
    return symbol


def _codes(name: str, text: str, role: str, kinds: Kinds, most: int) -> Codes:
    asked = dict.fromkeys(items(text))
    if not asked:
        raise BadParameter(f"Missing parameter: [{name}] holds no currency code: [{shorten(text)}]")
    known: dict[str, None] = {}
    unknown: list[UnknownSymbol] = []
    for item in asked:
        try:
            known[_code(item, role, kinds)] = None
        except UnknownSymbol as error:
            unknown.append(error)
    if (count := len(known) + len(unknown)) > most:
        raise BadParameter(f"Too many currencies in [{name}]: [{count}], at most {most}")
    if not known:
        raise unknown[0]
    codes = Codes(known)
    codes.unknown = tuple(unknown)
    return codes


def _pairs(name: str, text: str) -> tuple[Pair, ...]:
    found = tuple(dict.fromkeys(_pair(name, item) for item in items(text)))
    if not found:
        raise BadParameter(f"Missing parameter: [{name}] holds no pair: [{shorten(text)}]")
    if len(found) > MAX_PAIRS:
        raise BadParameter(f"Too many pairs in [{name}]: [{len(found)}], at most {MAX_PAIRS}")
    return found


def _pair(name: str, text: str) -> Pair:
    base, slash, quote = (part.strip() for part in upper(text).partition("/"))
    if not (base and slash and quote) or "/" in quote:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], a pair is written BASE/QUOTE, such as BTC/USD")
    return Pair(base, quote)


def _instruments(name: str, text: str) -> tuple[str, ...]:
    symbols = tuple(dict.fromkeys(upper(item).replace("/", "") for item in items(text)))
    if not symbols:
        raise BadParameter(f"Missing parameter: [{name}] holds no instrument: [{shorten(text)}]")
    return symbols


def _names(name: str, text: str) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for item in items(text):
        found.setdefault(upper(item).replace("/", ""), item)
    if not found:
        raise BadParameter(f"Missing parameter: [{name}] holds no pair: [{shorten(text)}]")
    if len(found) > MAX_PAIRS:
        raise BadParameter(f"Too many pairs in [{name}]: [{len(found)}], at most {MAX_PAIRS}")
    return tuple(found.values())


def _bar_interval(name: str, text: str) -> Interval:
    try:
        return Interval(text.upper())
    except ValueError:
        options = f"{Interval.DAY}, {Interval.HOUR}, {Interval.MINUTE}"
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{options}]") from None


def _side(name: str, text: str) -> str:
    if text.lower() not in _SIDES:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(_SIDES)}]")
    return text.lower()


def _limit(name: str, text: str, most: int) -> int:
    value = int(text) if _COUNT.fullmatch(text) else 0
    if not 1 <= value <= most:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a whole number from 1 to {most}")
    return value


def _metal(text: str) -> str:
    symbol = upper(text)
    if symbol not in METALS:
        raise UnknownMetal(text, "", f"options are [{', '.join(METALS)}], one in a request")
    return symbol


def _unit(name: str, text: str) -> str:
    handle = text.lower() if text.isascii() else text
    if handle not in UNITS:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(UNITS)}]")
    return handle


def _day(name: str, text: str) -> date:
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
    """Give a day as it is read: tomorrow, which has begun in the east, as today.

    Errors: BadParameter for a day that has begun nowhere.
    """
    if value > today + timedelta(days=1):
        raise BadParameter(f"Invalid {name}: [{value}] is in the future, today is {today} (UTC)")
    return min(value, today)


def _interval(name: str, text: str) -> str:
    if text.upper() not in INTERVALS:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(INTERVALS)}]")
    return text.upper()


def _age(name: str, text: str) -> timedelta:
    try:
        value = msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        value = timedelta(0)
    if value <= timedelta(0):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes an ISO 8601 duration, such as PT2H")
    return value
