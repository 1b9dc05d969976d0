"""How prices are rounded for a price list: to minor units, cash steps, other steps, or prices that end alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor

from cambist.errors import BadParameter, shorten
from cambist.reference.cash_steps import CASH_STEPS
from cambist.reference.currency_tables import CURRENCIES

_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
_HALF = Fraction(1, 2)
_USUAL_DECIMALS = 2


class RoundingKind(StrEnum):
    """To what a price is rounded."""

    CURRENCY = "currency"
    CASH = "cash"
    STEP = "step"
    CHARM = "charm"
    UP = "up"


@dataclass(frozen=True, slots=True)
class PriceRounding:
    """A rounding of prices; `value` is the step, or how a charm price ends."""

    kind: RoundingKind
    value: Decimal | None = None

    def round(self, price: Fraction, code: str) -> Decimal:
        """Round a price of a currency, halves up; `up` and `charm` never go down. Errors: BadParameter."""
        smallest = _minor_unit(code)
        if self.value is not None and self.value % smallest:
            raise BadParameter(
                f"Invalid rounding: [{self.kind}:{self.value}], the smallest amount of {code} is {smallest}"
            )
        if self.kind is RoundingKind.CHARM and self.value is not None:
            return _charm(price, self.value)
        step = self._step(code)
        count = price / Fraction(step)
        return step * (ceil(count) if self.kind is RoundingKind.UP else floor(count + _HALF))

    def _step(self, code: str) -> Decimal:
        if self.value is not None:
            return self.value
        if self.kind is RoundingKind.CASH:
            if code not in CASH_STEPS:
                raise BadParameter(
                    f"Invalid rounding: [cash], {code} has no cash step: rounding=currency has its coins"
                )
            return CASH_STEPS[code]
        return _minor_unit(code)


def _minor_unit(code: str) -> Decimal:
    currency = CURRENCIES.get(code)
    usual = _USUAL_DECIMALS if currency is None or currency.minor_units is None else currency.minor_units
    return Decimal(1).scaleb(-usual)


def _charm(price: Fraction, ending: Decimal) -> Decimal:
    """Return the lowest price that is not below another and ends as wanted: 0.99 ends 12.99, 90 ends 1290."""
    whole = int(ending)
    period = 10 ** len(str(whole)) if whole else 1
    count = max(ceil((price - Fraction(ending)) / period), 0)
    return ending + count * period


def parse_rounding(name: str, text: str) -> PriceRounding:
    """Read a rounding: currency, cash, up, step:0.05 or charm:0.99. Errors: BadParameter."""
    kind, colon, value = text.strip().lower().partition(":")
    needs_value = kind in (RoundingKind.STEP, RoundingKind.CHARM)
    is_number = bool(_NUMBER.fullmatch(value)) and Decimal(value) > 0
    if kind not in set(RoundingKind) or (needs_value and not is_number) or (colon and not needs_value):
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}]. Options are [currency, cash, up, step:0.05, charm:0.99]"
        )
    return PriceRounding(RoundingKind(kind), Decimal(value) if needs_value else None)
