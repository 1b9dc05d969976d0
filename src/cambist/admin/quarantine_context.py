"""A quarantined fixing beside its neighbours: what its source published before and after, and what others published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import isnan

from cambist.errors import NoRate
from cambist.history.archive import FixingArchive
from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.series import read_series
from cambist.pricing.pair import Pair

_BEFORE = timedelta(days=60)
_AFTER = timedelta(days=30)

Points = dict[date, float]
"""The price of one unit of the base in the quote currency, by day."""


@dataclass(frozen=True, slots=True)
class FixingNeighbours:
    """The rates around a fixing, from `since` to `until`: of its source, of the others by key, and the agreed ones."""

    since: date
    until: date
    own: Points
    others: Mapping[str, Points]
    agreed: Points


def neighbours_of(fixing: Fixing, archive: FixingArchive, matrix: RateMatrix | None) -> FixingNeighbours:
    """Return the neighbours of a fixing. Another source's rate may be inverted, or crossed in its own currency."""
    since, until = fixing.day - _BEFORE, fixing.day + _AFTER
    sides = {fixing.pair.base, fixing.pair.quote}
    by_source: dict[str, list[PairSeries]] = defaultdict(list)
    for source, series in archive.pair_series(lambda _, pair: bool({pair.base, pair.quote} & sides), since, until):
        by_source[source].append(series)
    rates = {source: rates_between(fixing.pair, series) for source, series in sorted(by_source.items())}
    own = rates.pop(fixing.source, {})
    others = {source: points for source, points in rates.items() if points}
    return FixingNeighbours(since, until, own, others, _agreed(matrix, fixing.pair, since, until))


def rates_between(pair: Pair, series: Iterable[PairSeries]) -> Points:
    """Return the rates of a pair by one source's series: of the pair itself, of its inverse, or crossed.

    If several other currencies could be crossed through, it is the one that gives most days.
    """
    prices: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(dict))
    for each in series:
        days = [FIRST_DAY + timedelta(days=int(row)) for row in each.rows]
        for day, rate in zip(days, map(float, each.rates), strict=True):
            if rate > 0:
                prices[each.pair.quote][each.pair.base][day] = rate
                prices[each.pair.base][each.pair.quote][day] = 1 / rate
    direct = prices[pair.quote].get(pair.base, {}) if pair.quote in prices else {}
    if direct:
        return dict(sorted(direct.items()))
    crossed = (_crossed(priced.get(pair.base, {}), priced.get(pair.quote, {})) for priced in prices.values())
    return max(crossed, key=len, default={})


def _crossed(base: Points, quote: Points) -> Points:
    return {day: base[day] / quote[day] for day in sorted(base.keys() & quote.keys())}


def _agreed(matrix: RateMatrix | None, pair: Pair, since: date, until: date) -> Points:
    if matrix is None:
        return {}
    try:
        series = read_series(matrix, pair, since, min(until, matrix.last_fixing))
    except NoRate:
        return {}
    days = (series.first_day + timedelta(days=number) for number in range(len(series.values)))
    return {day: value for day, value in zip(days, map(float, series.values), strict=True) if not isnan(value)}
