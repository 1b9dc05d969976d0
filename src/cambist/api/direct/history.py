"""`/historical` and `/time-series`: rates of days that are immutable, read from the rate matrix."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import isnan
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from cambist import __version__
from cambist.api.answer.answer_headers import EDITION_HEADER, NEGOTIATED
from cambist.api.answer.written_years import YEARS
from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.endpoints.currency.historical import HistoricalParams
from cambist.api.endpoints.currency.time_series import TimeSeriesParams
from cambist.api.questions.parameter_types import EARLIEST_DAY
from cambist.api.questions.symbol_parameters import Codes
from cambist.api.state.response_cache import etag_of
from cambist.api.state.worker_state import WorkerState
from cambist.history.as_of import CARRY_DAYS
from cambist.history.fixing_age import oldest_fixing_day
from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.history.rate_matrix_excerpt import columns
from cambist.http.responses import encode_headers
from cambist.pricing.number_format import TIES_UP, without_exponents
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES

_CARRY, _DAY = timedelta(days=CARRY_DAYS), timedelta(days=1)
_DATE = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_DAYS = 400
"""Longer series are left to the general way, which may compute them in a thread."""

_MOST_KEPT = 128

_BASES = {code.encode(): code for code in (*CURRENCIES, *METALS)}
_TARGETS = {code.encode(): code for code in CURRENCIES}
_ETAG = b"etag: "
_SOME_DAY, _OTHER_DAY = date(1111, 1, 1), date(2222, 2, 2)


class _PastAnswers:
    """What the answers about immutable days have in common: their days, ETags and headers."""

    def __init__(self, state: WorkerState, max_age: timedelta, path: str) -> None:
        self._state = state
        self._cache_control = f"private, max-age={int(max_age.total_seconds())}"
        self._salt = f"{__version__} {path} ".encode()
        self._today = (0.0, 0.0, date.min)
        self._kept: tuple[RateMatrix | None, dict[tuple[bytes, ...], DirectBody]] = None, {}
        self._around_etag = b"", b""

    def answer(self, values: list[bytes], _view: BookView, now: float) -> DirectBody:
        """Return an answer that is kept, or make it."""
        matrix, asked = self._state.matrix, tuple(values[1:])
        if self._kept[0] is not matrix:
            self._kept = matrix, {}
            self._around_etag = self._head_without_etag(matrix)
        kept = self._kept[1]
        found = kept.get(asked)
        if found is None:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            found = kept[asked] = self.made(matrix, asked, now)
        return found

    def made(self, matrix: RateMatrix, asked: tuple[bytes, ...], now: float) -> DirectBody:
        """Return the answer to a question. Errors: Declined, KeyError, CambistError."""
        raise NotImplementedError

    def check_immutable(self, matrix: RateMatrix, day: date, now: float) -> None:
        """Decline a day that is younger than the time for which fixings are carried, or not yet fixed."""
        begins, ends, today = self._today
        if not begins <= now < ends:
            begins = now // 86_400 * 86_400
            today = datetime.fromtimestamp(now, UTC).date()
            self._today = begins, begins + 86_400, today
        if day + _CARRY >= today or day > matrix.last_fixing:
            raise Declined

    def head(self, params: str, *data: bytes) -> bytes:
        """Return the headers of an answer that is made from some data."""
        before, after = self._around_etag
        return b"%b%b%b" % (before, etag_of((self._salt, params.encode(), *data)).encode(), after)

    def _head_without_etag(self, matrix: RateMatrix) -> tuple[bytes, bytes]:
        own = [("X-Calls-Cost", "1"), ("Cache-Control", self._cache_control), ("ETag", ""), NEGOTIATED]
        head = encode_headers([*own, (EDITION_HEADER, matrix.edition)] if matrix.edition else own)
        end = head.index(_ETAG) + len(_ETAG)
        return head[:end], head[end:]


@dataclass(slots=True, eq=False)
class _Listed:
    """The currencies that a day lists: their places in a row, how they are written, and as part of an ETag."""

    codes: tuple[str, ...]
    places: NDArray[np.int64]
    pick_bytes: Callable[[bytes], tuple[int, ...]]
    template: bytes
    data: bytes
    pivot: int


class PastDays(_PastAnswers):
    """The rates of a past day from one base to all currencies: writing 160 numbers takes most of the time."""

    names = ("date", "from")

    def __init__(self, state: WorkerState, immutable_max_age: timedelta) -> None:
        """Prepare what ETags are made from."""
        super().__init__(state, immutable_max_age, "/historical")
        sample = HistoricalParams(day=_SOME_DAY, base="BASE", quotes=None, verbose=False, partial=False)
        self._params = repr(sample).replace("'BASE'", "{base!r}").replace(repr(_SOME_DAY), "{day!r}")
        self._listed: tuple[RateMatrix | None, dict[int, _Listed]] = None, {}

    def made(self, matrix: RateMatrix, asked: tuple[bytes, ...], now: float) -> DirectBody:
        """Return the rates of a day."""
        text, base = asked
        day, code = _day(text), _TARGETS[base or b"USD"]
        self.check_immutable(matrix, day, now)
        width, row, column = len(matrix.codes), matrix.row(day), matrix.columns[code]
        cells, place = matrix.cells[row * width : (row + 1) * width], slice(row * width, (row + 1) * width)
        one = cells[column] if row >= 0 else float("nan")
        listed = self._listed_on(matrix, row)
        if isnan(one) or code not in listed.codes:
            raise Declined
        ages, sources = bytes(matrix.ages[place]), bytes(matrix.source_indexes[place])
        rates = matrix.cells_by_day[row].take(listed.places) / one * TIES_UP
        numbers = listed.template % tuple(rates.tolist())
        if b"e" in numbers:
            numbers = without_exponents(numbers)
        fixed_on = day - _DAY * _oldest_age(listed, ages, sources, column) if ages else None
        if fixed_on is None or fixed_on > day:
            fixed_on = oldest_fixing_day(matrix, day, code, listed.codes)
        fixed = b'"%b"' % str(fixed_on).encode() if fixed_on else b"null"
        carried = b"%d" % (day - fixed_on).days if fixed_on else b"null"
        params = self._params.format(base=code, day=day)
        head = self.head(params, listed.data, cells.tobytes(), ages, sources)
        body = b'{"date":"%b","base":"%b","results":%b,"fixed_on":%b,"carried_days":%b,"ms":' % (
            *(text, code.encode(), numbers, fixed, carried),
        )
        return body, 1, head

    def _listed_on(self, matrix: RateMatrix, row: int) -> _Listed:
        """Return what a row lists; only few sets differ."""
        if self._listed[0] is not matrix:
            self._listed = matrix, {}
        number = matrix.listed_set_of_day[row]
        found = self._listed[1].get(number)
        if found is None:
            places = matrix.listed_sets[number]
            codes = tuple(matrix.codes[place] for place in places)
            if len(codes) < 2:
                raise Declined
            template = '{"' + '":%.10g,"'.join(codes) + '":%.10g}'
            data = ",".join([*matrix.codes, *map(str, places)])
            found = _Listed(
                codes,
                np.array(places),
                itemgetter(*places),
                template.encode(),
                data.encode(),
                matrix.columns.get(PIVOT, -1),
            )
            self._listed[1][number] = found
        return found


def _oldest_age(listed: _Listed, ages: bytes, sources: bytes, column: int) -> int:
    """Return the age of the oldest fixing in the rates of a row; -1 if parities may decide it.

    They do not where the oldest one is a source's, and there is one beside the base's own.
    """
    is_pivot = listed.pivot == column
    if sources[column] in (NOBODY, BY_LAW) and not is_pivot:
        return -1
    shown = bytes(listed.pick_bytes(sources))
    if len(shown) - shown.count(NOBODY) - shown.count(BY_LAW) + is_pivot < 2:
        return -1
    picked = listed.pick_bytes(ages)
    oldest = max(picked)
    return oldest if not oldest or shown[picked.index(oldest)] not in (NOBODY, BY_LAW) else -1


class PastSeries(_PastAnswers):
    """The rates of one pair on the days of a year or less, cut out of calendar years that are written once."""

    names = ("from", "to", "start", "end")

    def __init__(self, state: WorkerState, immutable_max_age: timedelta) -> None:
        """Prepare what ETags are made from."""
        super().__init__(state, immutable_max_age, "/time-series")
        sample = TimeSeriesParams(
            base="BASE", quotes=Codes(("QUOTE",)), start=_SOME_DAY, end=_OTHER_DAY, interval="P1D", verbose=False,
            partial=False,
        )  # fmt: skip
        text = repr(sample).replace("'BASE'", "{base!r}").replace("QUOTE", "{quote}")
        self._params = text.replace(repr(_SOME_DAY), "{start!r}").replace(repr(_OTHER_DAY), "{end!r}")

    def made(self, matrix: RateMatrix, asked: tuple[bytes, ...], now: float) -> DirectBody:
        """Return the rates of each day of a period."""
        base, quote, first, last = asked
        pair = Pair(_BASES[base or b"USD"], _TARGETS[quote])
        start, end = _day(first), _day(last)
        self.check_immutable(matrix, end, now)
        if not 0 <= (end - start).days < _MOST_DAYS:
            raise Declined
        params = self._params.format(base=pair.base, quote=pair.quote, start=start, end=end)
        data = columns(matrix, (pair.base, pair.quote), start, end)
        head = self.head(params, *data)
        rates = YEARS.period(matrix, pair, start, end)
        if rates is None:
            raise Declined
        body = b'{"start":"%b","end":"%b","interval":"P1D","base":"%b","results":{"%b":%b},"ms":' % (
            *(first, last, pair.base.encode(), quote, rates),
        )
        return body, 1, head


def _day(text: bytes) -> date:
    """Return a day of the history. Errors: Declined for anything else."""
    if not _DATE.fullmatch(text):
        raise Declined
    try:
        day = date.fromisoformat(text.decode())
    except ValueError:
        raise Declined from None
    if day < EARLIEST_DAY:
        raise Declined
    return day
