"""The rates of pairs as JSON, a calendar year at a time: an answer about many days is cut out of them."""

from __future__ import annotations

from datetime import date, timedelta
from math import isnan

from cambist.api.answer.series_rendering import rates_by_day
from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import Series, read_series
from cambist.pricing.pair import Pair

_DAY = timedelta(days=1)
_MOST_KEPT = 256
"""The most years that are kept: of 10 KB each."""

_LONG = 366
"""A series of more days is cut out of years."""


class WrittenYears:
    """The years of one rate matrix that were asked for. Threads may ask at once."""

    def __init__(self) -> None:
        self._kept: tuple[RateMatrix | None, dict[tuple[Pair, int], bytes]] = None, {}

    def written(self, matrix: RateMatrix, series: Series) -> bytes:
        """Write a series of the matrix as `rates_by_day` does."""
        values, first = series.values, series.first_day
        if len(values) <= _LONG or isnan(values[0]) or isnan(values[-1]):
            return rates_by_day(series)
        found = self.period(matrix, series.pair, first, first + timedelta(days=len(values) - 1))
        return rates_by_day(series) if found is None else found

    def period(self, matrix: RateMatrix, pair: Pair, start: date, end: date) -> bytes | None:
        """Return the rates from `start` to `end`, both inclusive, as an object of date to rate.

        It is None for a period that begins or ends on a day without a rate.
        """
        kept = self._kept[1] if self._kept[0] is matrix else {}
        self._kept = matrix, kept
        parts = [_year(kept, matrix, pair, year) for year in range(start.year, end.year + 1)]
        following = end + _DAY
        if following.year == end.year and following <= matrix.last_day:
            place = _place(parts[-1], following)
            if place < 0:
                return None
            parts[-1] = parts[-1][:place]
        place = _place(parts[0], start)
        if place < 0:
            return None
        parts[0] = parts[0][place:]
        return b"{%b}" % b"".join(parts)[:-1]


YEARS = WrittenYears()
"""Those of this process."""


def _year(kept: dict[tuple[Pair, int], bytes], matrix: RateMatrix, pair: Pair, year: int) -> bytes:
    """Return the rates of a year, each followed by a comma."""
    text = kept.get((pair, year))
    if text is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        try:
            text = rates_by_day(read_series(matrix, pair, date(year, 1, 1), date(year, 12, 31)))[1:-1] + b","
        except NoRate:
            text = b""
        kept[pair, year] = text
    return text


def _place(text: bytes, day: date) -> int:
    return text.find(b'"%b"' % str(day).encode())
