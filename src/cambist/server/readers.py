"""How each kind of parameter is read: codes, lists of codes, amounts, places, days, durations."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec

from cambist.errors import BadParameter, UnknownSymbol, shown
from cambist.reference.assets import kind_of
from cambist.reference.tables import CURRENCIES
from cambist.server.params import Param

MOST_CODES = 250
SMALLEST_AMOUNT = Decimal("0.01")
MOST_PLACES = 20
EARLIEST = date(1970, 1, 1)
INTERVALS = ("P1D",)

_AMOUNT = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")
_PLACES = re.compile(r"[0-9]{1,2}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CODE_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}$"}
_ASSET_SCHEMA = {"type": "string", "pattern": "^[A-Z0-9]{1,12}$"}
_LIST_SCHEMA = {"type": "string", "pattern": "^[A-Z]{3}(,[A-Z]{3})*$"}
_DAY_SCHEMA = {"type": "string", "format": "date"}


def code(name: str, role: str, **rest: Any) -> Param:
    """Declare one currency code; `role` is `source` or `target`."""
    return Param(name, lambda _, text: _code(text, role), schema=_CODE_SCHEMA, **rest)


def asset(name: str, role: str, **rest: Any) -> Param:
    """Declare one code of a currency, a metal or a coin."""
    return Param(name, lambda _, text: _asset(text, role), schema=_ASSET_SCHEMA, **rest)


def codes(name: str, role: str, **rest: Any) -> Param:
    """Declare a comma-separated list of at most 250 currency codes; a repeat counts once."""
    return Param(name, lambda _, text: _codes(name, text, role), schema=_LIST_SCHEMA, **rest)


def amount(name: str, **rest: Any) -> Param:
    """Declare an amount from 0.01 up, with any number of digits."""
    return Param(name, _amount, schema={"type": "number", "minimum": float(SMALLEST_AMOUNT)}, **rest)


def places(name: str, **rest: Any) -> Param:
    """Declare a number of decimal places."""
    return Param(name, _places, schema={"type": "integer", "minimum": 0, "maximum": MOST_PLACES}, **rest)


def day(name: str, **rest: Any) -> Param:
    """Declare a calendar day since 1970."""
    return Param(name, _day, schema=_DAY_SCHEMA, **rest)


def interval(name: str, **rest: Any) -> Param:
    """Declare an interval; only days are offered."""
    return Param(name, _interval, schema={"type": "string", "enum": list(INTERVALS)}, **rest)


def age(name: str, **rest: Any) -> Param:
    """Declare a duration, as ISO 8601 writes it."""
    return Param(name, _age, schema={"type": "string", "format": "duration"}, **rest)


def _code(text: str, role: str) -> str:
    # Upper-casing turns some letters beyond ASCII into codes that nobody wrote: a dotless i into an I.
    symbol = text.upper() if text.isascii() else text
    if symbol not in CURRENCIES:
        raise UnknownSymbol(text, role)
    return symbol


def _asset(text: str, role: str) -> str:
    symbol = text.upper() if text.isascii() else text
    if kind_of(symbol) is None:
        raise UnknownSymbol(text, role)
    return symbol


def _codes(name: str, text: str, role: str) -> tuple[str, ...]:
    items = [item for part in text.split(",") if (item := part.strip())]
    symbols = tuple(dict.fromkeys(_code(item, role) for item in items))
    if not symbols:
        raise BadParameter(f"Missing parameter: [{name}] holds no currency code: [{shown(text)}]")
    if len(symbols) > MOST_CODES:
        raise BadParameter(f"Too many currencies in [{name}]: [{len(symbols)}], at most {MOST_CODES}")
    return symbols


def _amount(name: str, text: str) -> Decimal:
    value = Decimal(text) if _AMOUNT.fullmatch(text) else Decimal(0)
    if value < SMALLEST_AMOUNT:
        raise BadParameter(
            f"Invalid {name}: [{shown(text)}], it takes a plain decimal from {SMALLEST_AMOUNT} up, such as 1234.56"
        )
    return value


def _places(name: str, text: str) -> int:
    value = int(text) if _PLACES.fullmatch(text) else MOST_PLACES + 1
    if value > MOST_PLACES:
        raise BadParameter(f"Invalid {name}: [{shown(text)}], it takes a whole number from 0 to {MOST_PLACES}")
    return value


def _day(name: str, text: str) -> date:
    try:
        value = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        value = None
    if value is None:
        raise BadParameter(f"Invalid {name}: [{shown(text)}], it takes a day as YYYY-MM-DD, such as 2024-02-29")
    if value < EARLIEST:
        raise BadParameter(f"Invalid {name}: [{text}], history begins on {EARLIEST}")
    return value


def not_in_future(name: str, value: date, today: date) -> None:
    """Refuse a day that has not begun in UTC. Errors: BadParameter."""
    if value > today:
        raise BadParameter(f"Invalid {name}: [{value}] is in the future, today is {today} (UTC)")


def _interval(name: str, text: str) -> str:
    if text.upper() not in INTERVALS:
        raise BadParameter(f"Invalid {name}: [{shown(text)}]. Options are [{', '.join(INTERVALS)}]")
    return text.upper()


def _age(name: str, text: str) -> timedelta:
    try:
        value = msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        value = timedelta(0)
    if value <= timedelta(0):
        raise BadParameter(f"Invalid {name}: [{shown(text)}], it takes an ISO 8601 duration, such as PT2H")
    return value
