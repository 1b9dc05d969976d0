"""Reading what requests in dialects say: codes, lists of codes, days and amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal

from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Kinds, read_code, split_list
from cambist.errors import BadParameter, shorten
from cambist.pricing.number_format import SHOWN_DIGITS, half_up
from cambist.reference.assets import kind_of
from cambist.reference.minor_units import spelled_code

_SATURDAY = 5
_SHOWN = Context(prec=SHOWN_DIGITS, rounding=ROUND_HALF_UP)


def first_of(query: Mapping[str, str], names: Iterable[str], default: str = "") -> str:
    """Return the value of the first of several parameters that the query has."""
    return next((text for name in names if (text := query.get(name, "").strip())), default)


def read_codes(name: str, text: str, kinds: Kinds = MONEY_AND_METALS) -> list[str] | None:
    """Return the codes of a comma-separated list, in its order and each once; None, for all, without a text.

    Errors: UnknownSymbol, BadParameter for a list of nothing.
    """
    return list(dict.fromkeys(read_code(item, "target", kinds) for item in _items(name, text))) if text else None


def known_codes(name: str, text: str, kinds: Kinds = MONEY_AND_METALS) -> list[str] | None:
    """Return the known codes of a list as `read_codes` does; unknown ones are left out, so that none may be left."""
    if not text:
        return None
    return list(dict.fromkeys(code for item in _items(name, text) if kind_of(code := spelled_code(item)) in kinds))


def _items(name: str, text: str) -> list[str]:
    items = split_list(text)
    if not items:
        raise BadParameter(f"Missing parameter: [{name}] holds no currency code: [{shorten(text)}]")
    return items


def business_day(day: date) -> date:
    """Return the day itself, or the Friday before it if it is in a weekend."""
    return day - timedelta(days=max(0, day.weekday() - _SATURDAY + 1))


def converted(amount: Decimal, rate: float) -> Decimal:
    """Return an amount at a rate, rounded half up to ten decimals, or to ten significant digits if it is small."""
    (numerator, scale), (units, per) = amount.as_integer_ratio(), Decimal(repr(rate)).as_integer_ratio()
    places = max(SHOWN_DIGITS, SHOWN_DIGITS - 1 - amount.adjusted() - Decimal(rate).adjusted())
    return Decimal(half_up(numerator * units, scale * per, places))


def times(amount: Decimal, rate: float) -> Decimal:
    """Return the rate of an amount with ten significant digits."""
    return _SHOWN.multiply(amount, Decimal(repr(rate)))
