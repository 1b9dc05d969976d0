"""The age of the rates of a day: on which day each was fixed, and whether the day is immutable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from math import isnan

from cambist.history.as_of import CARRY_DAYS
from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.history.series import Series
from cambist.pricing.parity import parities_on, parity_periods

_CARRY = timedelta(days=CARRY_DAYS)
_NO_SOURCE = (NOBODY, BY_LAW)


def is_immutable(matrix: RateMatrix, day: date, today: date, codes: Iterable[str] | None = None) -> bool:
    """Return whether only a correction or a late first fixing can still change a day's rates of these codes, or of all.

    A day is immutable when it has ended and each of its sources has fixed that day or a later one, or after two weeks.
    Its sources are those whose fixings are used on the day or in the two weeks before.
    """
    if day >= today or day > matrix.last_fixing:
        return False
    return day + _CARRY < today or all(
        matrix.last_fixings[source_index] >= day for source_index in _sources_of(matrix, day, codes)
    )


def _sources_of(matrix: RateMatrix, day: date, codes: Iterable[str] | None) -> set[int]:
    """Return the indexes of the sources used for these codes on the day or in the two weeks before."""
    width = len(matrix.codes)
    start, end = max(matrix.row(day) - CARRY_DAYS, 0) * width, (matrix.row(day) + 1) * width
    source_indexes = matrix.source_indexes[start:end]
    if codes is None:
        found = set(source_indexes)
    else:
        columns = {matrix.columns[code] for code in _with_roots(codes, day) if code in matrix.columns}
        found = {source_index for column in columns for source_index in source_indexes[column::width]}
    return found - {NOBODY, BY_LAW}


def _with_roots(codes: Iterable[str], day: date) -> Iterator[str]:
    """Yield the codes and their last anchors, because a fixing of an anchor changes the code's rate too."""
    anchors = _anchors_on(day)
    for code in codes:
        yield from (code, _root(code, anchors))


def fixing_days(matrix: RateMatrix, day: date, base: str, quotes: Iterable[str]) -> dict[str, date | None]:
    """Return for each rate of a day the day of its fixing, the older one of its two legs.

    It is None if parities alone determine the rate.
    """
    codes, anchors = (base, *quotes), _anchors_on(day)
    legs = [
        (_root(code, anchors) if source_index in _NO_SOURCE else code, 0 if source_index == NOBODY else age)
        for code, (source_index, age) in zip(codes, matrix.sources_and_ages(day, codes), strict=True)
    ]
    root, own = legs[0]
    carried = [None if other == root else max(age, own) for other, age in legs[1:]]
    days = {age: day - timedelta(days=age) for age in set(carried) if age is not None}
    return {code: None if age is None else days[age] for code, age in zip(codes[1:], carried, strict=True)}


def oldest_fixing_day(matrix: RateMatrix, day: date, base: str, quotes: Sequence[str]) -> date | None:
    """Return the oldest of the days that `fixing_days` returns; None if parities alone determine all rates."""
    anchors = _anchors_on(day)
    (own_index, own_age), *legs = matrix.sources_and_ages(day, (base, *quotes))
    root = _root(base, anchors) if own_index in _NO_SOURCE else base
    ages = [
        0 if source_index == NOBODY else age
        for code, (source_index, age) in zip(quotes, legs, strict=True)
        if (code if source_index not in _NO_SOURCE else _root(code, anchors)) != root
    ]
    return day - timedelta(days=max(*ages, 0 if own_index == NOBODY else own_age)) if ages else None


def fixing_ages(matrix: RateMatrix, series: Series) -> list[int | None]:
    """Return for each day of a series how old its fixing is, the older one of its two legs, in days.

    It is None if parities alone determine the rate.
    """
    pair, row = series.pair, matrix.row(series.first_day)
    legs = [(code, _ages(matrix, code, row, len(series.values))) for code in (pair.base, pair.quote)]
    ages: list[int | None] = []
    for start, end in parity_periods(series.first_day, len(series.values)):
        anchors = _anchors_on(series.first_day + timedelta(days=start))
        is_tied = _root(pair.base, anchors) == _root(pair.quote, anchors)
        for offset in range(start, end):
            here = {code: leg[offset] for code, leg in legs}
            if is_tied and _is_law(here, anchors):
                ages.append(None)
            else:
                ages.append(max(0 if source_index == NOBODY else age for source_index, age in here.values()))
    return ages


def carried_days(series: Series, ages: Iterable[int | None]) -> dict[date, date]:
    """Return the days of a series that use an earlier fixing, with the days of those fixings."""
    days = (series.first_day + timedelta(days=offset) for offset in range(len(series.values)))
    dated = zip(days, ages, series.values.tolist(), strict=True)
    return {day: day - timedelta(days=age) for day, age, value in dated if age and not isnan(value)}


def _ages(matrix: RateMatrix, code: str, row: int, days: int) -> list[tuple[int, int]]:
    """Return source index and age of each day's cell."""
    column, width = matrix.columns.get(code), len(matrix.codes)
    if column is None:
        return [(NOBODY, 0)] * days
    cells = slice(row * width + column, (row + days) * width, width)
    return list(zip(matrix.source_indexes[cells], matrix.ages[cells], strict=True))


def _is_law(legs: Mapping[str, tuple[int, int]], anchors: Mapping[str, str]) -> bool:
    """Return whether parities decided all pegged legs. A source that outranks pegs may have decided one instead."""
    return all(source_index in (BY_LAW, NOBODY) for code, (source_index, _) in legs.items() if code in anchors)


@lru_cache(maxsize=4096)
def _anchors_on(day: date) -> Mapping[str, str]:
    """Return the anchor of each currency with a parity on a day."""
    return {parity.code: parity.anchor for parity in parities_on(day)}


def _root(code: str, anchors: Mapping[str, str]) -> str:
    """Follow the parities of a currency to the last anchor."""
    while code in anchors:
        code = anchors[code]
    return code
