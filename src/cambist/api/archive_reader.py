"""What answers are read from the database: bars, fixings as they were published, and closes of coins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime

from cambist.api.reader_pool import ReaderPool
from cambist.errors import RateUnavailable, StoreBroken
from cambist.history.archive import FixingArchive
from cambist.history.bars import Bar, BarReader, Interval
from cambist.history.coin_closes import find_close
from cambist.history.corrections import Correction, CorrectionQuery
from cambist.history.coverage import PairCoverage
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair

_MAX_CLOSES = 20_000
_MAX_CORRECTION_LISTS = 500


class ArchiveReader:
    """Reads an archive and its bars in the threads of a `pool`.

    Closes of completed days are cached until `forget_closes`, the coverage and corrections until `forget_coverage`. Any
    method may raise StoreBusy.
    """

    def __init__(
        self, archive: FixingArchive, bars: BarReader, pool: ReaderPool, clock: Callable[[], datetime]
    ) -> None:
        self._archive = archive
        self._bars = bars
        self._call = pool.call
        self.spare_this_thread = pool.spare_this_thread
        self._clock = clock
        self._closes: dict[tuple[str, date], ReceivedFixing] = {}
        self._coverage: list[Sequence[PairCoverage]] = []
        self._corrections: dict[CorrectionQuery, Sequence[Correction]] = {}

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        """Return the newest bars, as a `BarReader` does. Errors: StoreBroken."""
        return self._call(self._bars.newest_bars, pair, interval, start, end, limit)

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        """Return the start of each pair's first bar. Errors: StoreBroken."""
        return self._call(self._bars.first_starts, interval)

    def published_fixings(self, source: str, code: str, day: date) -> Sequence[ReceivedFixing]:
        """Return what a source had published by a day, as a `FixingLookup` does. Errors: RateUnavailable."""
        try:
            return self._call(self._archive.published_fixings, source, code, day)
        except StoreBroken as error:
            raise RateUnavailable("The archive of fixings cannot be read now") from error

    def close(self, coin: str, day: date) -> ReceivedFixing | None:
        """Return the close of a coin on a day; None if there is none. Errors: RateUnavailable."""
        closes = self._closes  # before reading: a close from before `forget_closes` is then added where nobody looks
        found = closes.get((coin, day))
        if found is not None:
            return found
        try:
            found = find_close(self._call(self._archive.revisions, Pair(coin, PIVOT), day))
        except StoreBroken as error:
            raise RateUnavailable("The archive of closes cannot be read now") from error
        if found is not None and day < self._clock().date():
            if len(closes) >= _MAX_CLOSES:
                closes.clear()
            closes[coin, day] = found
        return found

    def coverage(self) -> Sequence[PairCoverage]:
        """Return the coverage of all sources, as a `ReadCoverage` does. Errors: RateUnavailable."""
        cached = self._coverage  # before reading, as in `close`
        if not cached:
            try:
                cached.append(self._call(self._archive.pair_coverage))
            except StoreBroken as error:
                raise RateUnavailable("The archive of fixings cannot be read now") from error
        return cached[0]

    def corrections(self, query: CorrectionQuery) -> Sequence[Correction]:
        """Return corrections, as a `ReadCorrections` does. Errors: RateUnavailable."""
        cached = self._corrections  # before reading, as in `close`
        found = cached.get(query)
        if found is None:
            try:
                found = self._call(self._archive.corrections, query)
            except StoreBroken as error:
                raise RateUnavailable("The archive of fixings cannot be read now") from error
            if len(cached) >= _MAX_CORRECTION_LISTS:
                cached.clear()
            cached[query] = found
        return found

    def forget_coverage(self) -> None:
        """Read the coverage and corrections again: fixings were added."""
        self._coverage = []
        self._corrections = {}

    def forget_closes(self) -> None:
        """Read every close again: the archive has changed."""
        self._closes = {}
