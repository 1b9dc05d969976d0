"""Reading what requests in dialects say: codes, lists of codes, days and amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal

from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Kinds, read_code, split_list
from cambist.errors import BadParameter, shorten
from cambist.pricing.number_format import half_up
from cambist.reference.assets import kind_of
from cambist.reference.minor_units import spelled_code

_AMOUNT = re.compile(r"[0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20}")
_SATURDAY = 5


def first_of(query: Mapping[str, str], names: Iterable[str], default: str = "") -> str:
    """Return the value of the first of several parameters that the query has."""
    return next((text for name in names if (text := query.get(name, "").strip())), default)


def read_codes(text: str, kinds: Kinds = MONEY_AND_METALS) -> list[str]:
    """Return the codes of a comma-separated list, in its order and each once. Errors: UnknownSymbol."""
    return list(dict.fromkeys(read_code(item, "target", kinds) for item in split_list(text)))


def known_codes(text: str, kinds: Kinds = MONEY_AND_METALS) -> list[str]:
    """Return the known codes of a comma-separated list, in its order and each once; others are left out."""
    return list(dict.fromkeys(code for item in split_list(text) if kind_of(code := spelled_code(item)) in kinds))


def read_amount(name: str, text: str) -> Decimal:
    """Return an amount above zero. Errors: BadParameter."""
    amount = Decimal(text) if _AMOUNT.fullmatch(text) else Decimal(0)
    if not amount:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a decimal above zero, such as 1234.56")
    return amount


def business_day(day: date) -> date:
    """Return the day itself, or the Friday before it if it is in a weekend."""
    return day - timedelta(days=max(0, day.weekday() - _SATURDAY + 1))


def converted(amount: Decimal, rate: float, places: int = 10) -> float:
    """Return an amount at a rate, rounded half up as `/convert` rounds."""
    numerator, denominator = (amount * Decimal(repr(rate))).as_integer_ratio()
    return float(half_up(numerator, denominator, places))
