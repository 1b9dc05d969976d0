"""The numbers of a declared source: rates and nominals."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from cambist.errors import shorten
from cambist.sources.declaration.declaration import DeclaredRates
from cambist.sources.declaration.raw_rate import JsonNumber
from cambist.sources.parsing import PayloadReader

_MOST_PLACES = (15, 30)
"""The most digits before and after the point of a JSON number; no rate has more."""
_LEAST = -20
"""The place of the first digit of the smallest rate."""
_LONGEST_NOMINAL = 7
_LONGEST_TEXT = 200
"""Characters: longer texts are not matched with the declared pattern."""
_POWERS = ("0", "1", "2", "3", "4", "5", "6")
"""The powers of ten that a nominal may be given as."""


class ValueReader:
    """Reads numbers in the source's notation."""

    def __init__(self, rates: DeclaredRates, reader: PayloadReader) -> None:
        self._rates = rates
        self._reader = reader
        self._pattern = re.compile(rates.rate_pattern) if rates.rate_pattern else None

    def value(self, text: str, other: str | None, what: str) -> Decimal:
        """Return a rate, or the exact mean of two. Errors: CellBroken."""
        if other is None:
            return self._number(text, what)
        return (self._number(text, what) + self._number(other, what)) / 2

    def nominal(self, written: str | None, label: str, code: str, divisor: int, what: str) -> int:
        """Return the nominal: the written one, or the declared one. Errors: CellBroken, SourceBroken."""
        if written is None:
            declared = self._rates.nominal
            return declared.get(code, 1) if isinstance(declared, dict) else declared
        if self._rates.nominal_is == "power":
            return self._power_of_ten(written, what)
        if isinstance(written, JsonNumber):
            written = written.removesuffix(".0")
        if self._rates.nominal_is == "decimal":
            whole, _, decimals = written.partition(self._rates.decimal)
            written = "" if decimals.strip("0") else whole
        units = self._reader.nominal(written if len(written) <= _LONGEST_NOMINAL else "", what)
        if units % divisor:
            raise self._reader.broken(
                f"{what} is quoted per [{units}] units of [{label}], which [{divisor}] does not divide"
            )
        return units // divisor

    def _power_of_ten(self, text: str, what: str) -> int:
        if text not in _POWERS:
            raise self._reader.broken(
                f"{what} has the power [{shorten(text)}]: it is quoted per ten to the power of it"
            )
        return int("1" + "0" * int(text))

    def _number(self, text: str, what: str) -> Decimal:
        value = self._positive(self._matched(text, what), what)
        if self._rates.places is not None and value.as_tuple().exponent != -self._rates.places:
            raise self._reader.cell_broken(f"{what} does not have {self._rates.places} decimals: [{shorten(text)}]")
        return value

    def _matched(self, text: str, what: str) -> str:
        if self._pattern is None:
            return text
        found = self._pattern.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
        if not found:
            raise self._reader.cell_broken(
                f"{what} is not written as declared in rates.rate_pattern: [{shorten(text)}]"
            )
        return found["rate"]

    def _positive(self, text: str, what: str) -> Decimal:
        if not isinstance(text, JsonNumber):
            comma = "," if self._rates.decimal == "," else ""
            return self._reader.number(text, what, comma=comma, thousands=self._rates.thousands)
        before, after = _MOST_PLACES
        try:
            value = Decimal(text) if len(text) <= before + after else Decimal(0)
        except InvalidOperation:
            value = Decimal(0)
        if not (value > 0 and _LEAST <= value.adjusted() < before and int(value.as_tuple().exponent) >= -after):
            raise self._reader.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return Decimal(f"{value:f}")
