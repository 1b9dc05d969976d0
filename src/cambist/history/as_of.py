"""The rates of a day: each is from the last fixing on or before the day, carried forward for at most two weeks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import isnan
from operator import itemgetter

from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.parity import legal_rate
from cambist.reference.currency_tables import CURRENCIES

CARRY_DAYS = 14
"""How many days a fixing is carried forward over weekends, holidays and days on which a source is late."""


@dataclass(frozen=True, slots=True)
class DayRates:
    """The rates of one base in several quote currencies on one day: float64 midpoints, in the order of `codes`."""

    codes: tuple[str, ...]
    values: list[float]


def listed_rates(matrix: RateMatrix, day: date, base: str) -> DayRates:
    """Return the base in every currency that the day lists, and in itself, sorted by code.

    Errors: NoRate if the day has no rate for the base, or no other currency.
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
    """Return the base in those of `quotes` that have a rate on the day, in their order.

    Errors: NoRate if none has.
    """
    one = matrix.cell(day, base)
    rates = {quote: _rate(matrix.cell(day, quote) / one, base, quote, day) for quote in quotes}
    available = {quote: rate for quote, rate in rates.items() if not isnan(rate)}
    if not available:
        raise NoRate(f"No rate from [{base}] to [{','.join(rates)}] on [{day}]{_reach(matrix, base, rates)}")
    return DayRates(tuple(available), list(available.values()))


def _rate(crossed: float, base: str, quote: str, day: date) -> float:
    """Return the market rate, or the rate by law if there is none."""
    fixed = legal_rate(base, quote, day) if isnan(crossed) else None
    return crossed if fixed is None else float(fixed)


def _listed_by_law(matrix: RateMatrix, day: date, base: str) -> DayRates:
    """Return the existing currencies whose rate with the base is fixed by law, for a day without a market rate."""
    tied = {code: legal_rate(base, code, day) for code in sorted(CURRENCIES) if code == base or _lives(code, day)}
    fixed = {code: float(rate) for code, rate in tied.items() if rate is not None}
    if set(fixed) <= {base}:
        raise NoRate(f"No rates from [{base}] on [{day}]{_reach(matrix, base)}")
    return DayRates(tuple(fixed), list(fixed.values()))


def _lives(code: str, day: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(day)


def _reach(matrix: RateMatrix, base: str, quotes: Iterable[str] = ()) -> str:
    """Return the part of the error message that names the days for which there are rates."""
    names = [base, *quotes] if len(list(quotes)) == 1 else [base]
    spans = {name: span for name in names if (span := matrix.span(name))}
    return "".join(f"; [{name}] has rates from {first} to {last}" for name, (first, last) in spans.items())
