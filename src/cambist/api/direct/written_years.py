"""The rates of pairs as JSON, a calendar year at a time: an answer about some days is cut out of them."""

from __future__ import annotations

from datetime import date, timedelta

from cambist.api.answer.series_rendering import rates_by_day
from cambist.api.direct.declined import Declined
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import read_series
from cambist.pricing.pair import Pair

_DAY = timedelta(days=1)
_MOST_KEPT = 256
"""The most years that are kept: of 10 KB each."""


class WrittenYears:
    """The years of one rate matrix that were asked for."""

    def __init__(self, matrix: RateMatrix) -> None:
        self._matrix = matrix
        self._years: dict[tuple[Pair, int], bytes] = {}

    def period(self, pair: Pair, start: date, end: date) -> bytes:
        """Return the rates from `start` to `end`, both inclusive, as an object of date to rate.

        Errors: Declined for a period that begins or ends on a day without a rate; NoRate.
        """
        parts = [self._year(pair, year) for year in range(start.year, end.year + 1)]
        following = end + _DAY
        if following.year == end.year:
            parts[-1] = parts[-1][: _place(parts[-1], following)]
        parts[0] = parts[0][_place(parts[0], start) :]
        return b"{%b}" % b"".join(parts)[:-1]

    def _year(self, pair: Pair, year: int) -> bytes:
        """Return the rates of a year, each followed by a comma."""
        text = self._years.get((pair, year))
        if text is None:
            if len(self._years) >= _MOST_KEPT:
                self._years.clear()
            series = read_series(self._matrix, pair, date(year, 1, 1), date(year, 12, 31))
            text = self._years[pair, year] = rates_by_day(series)[1:-1] + b","
        return text


def _place(text: bytes, day: date) -> int:
    place = text.find(b'"%b"' % str(day).encode())
    if place < 0:
        raise Declined
    return place
