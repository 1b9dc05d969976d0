"""What a day reads: the last fixing at or before it, carried forward at most two weeks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import isnan
from operator import itemgetter

from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.parity import legal_rate
from cambist.reference.tables import CURRENCIES

CARRY_DAYS = 14
"""How many days a fixing is carried over weekends, holidays and late sources."""


@dataclass(frozen=True, slots=True)
class DayRates:
    """One base in many quotes on one day: float64 midpoints, in the order of `codes`."""

    codes: tuple[str, ...]
    values: list[float]


def listed_rates(matrix: RateMatrix, day: date, base: str) -> DayRates:
    """Give `base` in every currency that the day lists, and in itself, by code.

    Errors: NoRate where the day has no rate for the base, or none but its own.
    """
    one = matrix.cell(day, base)
    if isnan(one):
        return _listed_by_law(matrix, day, base)
    listed_set = matrix.listed_sets[matrix.listed_set_of_day[matrix.row(day)]]
    if matrix.columns[base] not in listed_set:
        listed_set = tuple(sorted((*listed_set, matrix.columns[base])))
    codes = tuple(matrix.codes[column] for column in listed_set)
    if codes == (base,):
        raise NoRate(f"No rates from [{base}] on [{day}]")
    start = matrix.row(day) * len(matrix.codes)
    cells = list(matrix.cells[start : start + len(matrix.codes)])
    return DayRates(codes, [cell / one for cell in _picked(cells, listed_set)])


def _picked(cells: list[float], listed_set: tuple[int, ...]) -> tuple[float, ...]:
    return itemgetter(*listed_set)(cells) if len(listed_set) > 1 else tuple(cells[column] for column in listed_set)


def rates_on(matrix: RateMatrix, day: date, base: str, quotes: Iterable[str]) -> DayRates:
    """Give `base` in those of `quotes` that have a rate on the day, in their order.

    Errors: NoRate where none has.
    """
    one = matrix.cell(day, base)
    rates = {quote: _rate(matrix.cell(day, quote) / one, base, quote, day) for quote in quotes}
    there = {quote: rate for quote, rate in rates.items() if not isnan(rate)}
    if not there:
        raise NoRate(f"No rate from [{base}] to [{','.join(rates)}] on [{day}]{_reach(matrix, base, rates)}")
    return DayRates(tuple(there), list(there.values()))


def _rate(crossed: float, base: str, quote: str, day: date) -> float:
    """Where the market is silent the law may still speak."""
    fixed = legal_rate(base, quote, day) if isnan(crossed) else None
    return crossed if fixed is None else float(fixed)


def _listed_by_law(matrix: RateMatrix, day: date, base: str) -> DayRates:
    """Where the market is silent the law may still speak: list what lives and is tied to the base."""
    tied = {code: legal_rate(base, code, day) for code in matrix.codes if code == base or _lives(code, day)}
    fixed = {code: float(rate) for code, rate in tied.items() if rate is not None}
    if set(fixed) <= {base}:
        raise NoRate(f"No rates from [{base}] on [{day}]{_reach(matrix, base)}")
    return DayRates(tuple(fixed), list(fixed.values()))


def _lives(code: str, day: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(day)


def _reach(matrix: RateMatrix, base: str, quotes: Iterable[str] = ()) -> str:
    """Say how far the history reaches of what has none on the day asked, so that the reader need not guess."""
    names = [base, *quotes] if len(list(quotes)) == 1 else [base]
    spans = {name: span for name in names if (span := matrix.span(name))}
    return "".join(f"; [{name}] has rates from {first} to {last}" for name, (first, last) in spans.items())
