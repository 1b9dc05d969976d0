"""What a day reads: the last fixing at or before it, carried forward at most two weeks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import isnan, nan
from operator import itemgetter

from cambist.errors import NoRate
from cambist.history.image import RateImage

CARRY_DAYS = 14
"""How many days a fixing is carried over weekends, holidays and late sources."""

Cut = tuple[int, float]
"""A row from which a unit is another under the same code, and what a value before it is multiplied by."""


def carried(fixed: Mapping[int, float], days: int, cuts: Iterable[Cut] = ()) -> list[float]:
    """Spread fixings by row over `days` rows: each is carried up to its successor, at most two weeks.

    Over a `cut` the carried fixing is expressed in the new unit: the law converts it as it converts a debt.
    """
    cells = [nan] * days
    rows = sorted(fixed)
    for row, following in pairwise([*rows, days]):
        first, end = max(row, 0), min(following, row + CARRY_DAYS + 1, days)
        cells[first:end] = [fixed[row]] * (end - first)
        for cut_row, factor in cuts:
            if row < cut_row < end:
                cells[cut_row:end] = [fixed[row] * factor] * (end - cut_row)
    return cells


@dataclass(frozen=True, slots=True)
class DayRates:
    """One base in many quotes on one day: float64 midpoints, in the order of `codes`."""

    codes: tuple[str, ...]
    values: list[float]


def listed_on(image: RateImage, day: date, base: str) -> DayRates:
    """Give `base` in every currency that the day lists, by code.

    Errors: NoRate where the day has no rate for the base, or none but its own.
    """
    one = _base(image, day, base)
    era = image.eras[image.era_of_day[image.row(day)]]
    codes = tuple(image.codes[column] for column in era)
    if set(codes) <= {base}:
        raise NoRate(f"No rates from [{base}] on [{day}]")
    start = image.row(day) * len(image.codes)
    cells = list(image.cells[start : start + len(image.codes)])
    return DayRates(codes, [cell / one for cell in _picked(cells, era)])


def _picked(cells: list[float], era: tuple[int, ...]) -> tuple[float, ...]:
    return itemgetter(*era)(cells) if len(era) > 1 else tuple(cells[column] for column in era)


def on_day(image: RateImage, day: date, base: str, quotes: Iterable[str]) -> DayRates:
    """Give `base` in those of `quotes` that have a rate on the day, in their order.

    Errors: NoRate where none has.
    """
    one = _base(image, day, base)
    rates = {quote: image.cell(day, quote) / one for quote in quotes}
    there = {quote: rate for quote, rate in rates.items() if not isnan(rate)}
    if not there:
        raise NoRate(f"No rate from [{base}] to [{','.join(rates)}] on [{day}]{_reach(image, rates)}")
    return DayRates(tuple(there), list(there.values()))


def _base(image: RateImage, day: date, base: str) -> float:
    one = image.cell(day, base)
    if isnan(one):
        raise NoRate(f"No rate from [{base}] on [{day}]{_reach(image, [base])}")
    return one


def _reach(image: RateImage, codes: Iterable[str]) -> str:
    """Say how far the history of a single code reaches, so that the reader need not guess."""
    names = list(codes)
    span = image.span(names[0]) if len(names) == 1 else None
    return f": its rates run from {span[0]} to {span[1]}" if span else ""
