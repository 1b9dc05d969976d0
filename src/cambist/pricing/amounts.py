"""How many decimals an amount of a code has, unless a client says so itself."""

from __future__ import annotations

from decimal import Context, Decimal

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.minor_units import CURRENCY_CODES

_USUAL_DECIMALS = 2
_DIGITS = 6
"""The significant digits that an amount of a coin or a metal has at least, and one below a minor unit."""

_ROUGHLY = Context(prec=9)


def decimals_of(code: str, numerator: int, denominator: int) -> int:
    """Return the decimals of an amount of a code, which is given as a ratio.

    A currency has those of its minor unit (JPY 0, KWD 3), unless nothing would be left of the amount. A coin or a metal
    has two. Both have as many as six significant digits take: 10 USD are 0.0001 BTC, not 0.
    """
    currency = CURRENCIES.get(code)
    usual = _USUAL_DECIMALS if currency is None or currency.minor_units is None else currency.minor_units
    if code in CURRENCY_CODES and 2 * abs(numerator) * 10**usual >= denominator:
        return usual
    size = _ROUGHLY.divide(Decimal(numerator), Decimal(denominator)).adjusted() if numerator else 0
    return max(usual, _DIGITS - 1 - size)
