"""The rates of a year as a table in long format: a row for each day and code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cambist.errors import NoRate
from cambist.history.pair_sources import LAW, pair_sources, source_keys
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.series import Series, read_series
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import Pair
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES

_LAYOUT = 1
"""Raised when files are written differently, so that files of an older version are written again."""


@dataclass(frozen=True)
class RateTable:
    """The rates of a period, ordered by day and then by code.

    A row has a `day` since 1970, the position of its code in `quotes`, a value (float64, all its digits), and the
    position of its sources in `sources`, whose items are the keys of the legs' sources. `left_out` counts the rates
    that a source forbids to pass on, by source.
    """

    base: str
    quotes: tuple[str, ...]
    sources: tuple[tuple[str, ...], ...]
    days: NDArray[np.int64]
    quote_indexes: NDArray[np.int64]
    values: NDArray[np.float64]
    source_indexes: NDArray[np.int64]
    left_out: dict[str, int]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def rates(self) -> list[str]:
        """The rates as `/time-series` writes them."""
        return [plain_float(value) for value in self.values.tolist()]

    @cached_property
    def dates(self) -> list[str]:
        """The day of each row."""
        return np.datetime_as_string(self.days.astype("datetime64[D]")).tolist() if len(self) else []

    @cached_property
    def source_names(self) -> list[str]:
        """What the column `source` says, for each item of `sources`."""
        return ["+".join(keys) or LAW for keys in self.sources]

    @cached_property
    def edition(self) -> str:
        """What the table was made from, in 16 hexadecimal digits: it changes if a rate or a source changes."""
        digest = sha256(repr((_LAYOUT, self.base, self.quotes, self.sources)).encode())
        for column in (self.days, self.quote_indexes, self.values, self.source_indexes):
            digest.update(column.tobytes())
        return digest.hexdigest()[:16]

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the day, the quote currency, the rate and the sources of each row."""
        quotes = map(self.quotes.__getitem__, self.quote_indexes.tolist())
        sources = map(self.source_names.__getitem__, self.source_indexes.tolist())
        return zip(self.dates, quotes, self.rates, sources, strict=True)

    def count_by_source(self) -> dict[str, int]:
        """Return how many rates each source has a part in."""
        counts: Counter[str] = Counter()
        numbers = np.bincount(self.source_indexes, minlength=len(self.sources))
        for keys, number in zip(self.sources, numbers.tolist(), strict=True):
            counts.update(dict.fromkeys(keys, number))
        return dict(sorted(counts.items()))


def build_rate_table(
    matrix: RateMatrix, base: str, codes: Collection[str], period: tuple[date, date], forbidden: Collection[str]
) -> RateTable:
    """Return the rates of a period, the same as at `/time-series`, without those of forbidden sources.

    Without `codes` they are those to all currencies that `/historical` lists on each day, and to all metals.
    """
    found = list(_read(matrix, base, sorted(codes) or all_codes(matrix, base), period))
    quotes = tuple(series.pair.quote for series in found)
    first = found[0].first_day if found else period[0]
    values = _columns([series.values for series in found])
    if not codes:
        values = np.where(
            _is_listed(matrix, quotes, slice(matrix.row(first), matrix.row(first) + len(values))), values, np.nan
        )
    day, quote = np.nonzero(~np.isnan(values))
    numbers = _columns([pair_sources(matrix, series) for series in found])
    sources, source_indexes = _name_sources(matrix, numbers[day, quote])
    is_kept, left_out = _filter(sources, source_indexes, forbidden)
    return RateTable(
        base=base,
        quotes=quotes,
        sources=sources,
        days=(day + (first - FIRST_DAY).days)[is_kept],
        quote_indexes=quote[is_kept],
        values=values[day, quote][is_kept],
        source_indexes=source_indexes[is_kept],
        left_out=left_out,
    )


def all_codes(matrix: RateMatrix, base: str) -> tuple[str, ...]:
    """Return the codes of an export that names none: every currency and metal of the rate matrix but the base."""
    return tuple(sorted(code for code in matrix.codes if code != base and (code in CURRENCIES or code in METALS)))


def _read(matrix: RateMatrix, base: str, codes: Collection[str], period: tuple[date, date]) -> Iterator[Series]:
    for code in codes:
        try:
            yield read_series(matrix, Pair(base, code), *period)
        except NoRate:
            continue


def _columns(series: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return series as an array of days and codes."""
    return np.array(series).T if series else np.zeros((0, 0))


def _is_listed(matrix: RateMatrix, quotes: Sequence[str], rows: slice) -> NDArray[np.bool_]:
    """Return for each day and code whether the day lists it; metals are always listed."""
    columns = [matrix.columns[quote] for quote in quotes]
    is_metal = [quote in METALS for quote in quotes]
    of_set = np.array([[column in listed for column in columns] for listed in map(frozenset, matrix.listed_sets)])
    listed: NDArray[np.bool_] = of_set[np.asarray(matrix.listed_set_of_day[rows])] | is_metal
    return listed


def _name_sources(
    matrix: RateMatrix, numbers: NDArray[np.int64]
) -> tuple[tuple[tuple[str, ...], ...], NDArray[np.int64]]:
    """Return the keys of all sources, in an order that does not depend on their ranks, and which each row has."""
    distinct, indexes = np.unique(numbers, return_inverse=True)
    keys = [source_keys(matrix, number) for number in distinct.tolist()]
    names = tuple(sorted(set(keys)))
    return names, np.array([names.index(each) for each in keys], np.int64)[indexes]


def _filter(
    sources: tuple[tuple[str, ...], ...], source_indexes: NDArray[np.int64], forbidden: Collection[str]
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Return which rows may be passed on, and how many rows of each forbidden source may not."""
    numbers = np.bincount(source_indexes, minlength=len(sources)).tolist()
    left_out: Counter[str] = Counter()
    for keys, number in zip(sources, numbers, strict=True):
        left_out.update({key: number for key in keys if key in forbidden})
    may_pass = np.array([not any(key in forbidden for key in keys) for keys in sources], np.bool_)
    is_kept = may_pass[source_indexes] if len(sources) else np.zeros(0, np.bool_)
    return is_kept, dict(sorted(left_out.items()))
