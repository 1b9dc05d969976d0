"""What answers are read from the database: bars, fixings as they were published, and closes of coins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import ParamSpec, TypeVar

from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import RateUnavailable, StoreBroken
from cambist.history.archive import PairFilter, PublishedArchive
from cambist.history.bars import Bar, BarReader, Interval
from cambist.history.coin_closes import find_close
from cambist.history.correction_feed import CorrectionFeed
from cambist.history.corrections import AnyCorrection, CorrectionQuery, FeedEntry, FeedPosition
from cambist.history.coverage import PairCoverage
from cambist.history.fixing import ReceivedFixing
from cambist.history.pair_series import PairSeries, between
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_rates import SourceRates, read_source_rates
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import PIVOT, Pair

P = ParamSpec("P")
T = TypeVar("T")

_MAX_CLOSES = 20_000
_MAX_COIN_SERIES = 100
_MAX_CORRECTION_LISTS = 500
_MAX_DAYS_OF_SOURCES = 500
_MOST_CACHED_RATES = 1200
"""How many rates of sources are kept in one entry: those of a pair in a year, or of all sources on a day."""

_AskedRates = tuple[tuple[tuple[str, str], ...], frozenset[str], date, date]


class ArchiveReader:
    """Reads an archive and its bars in the threads of a `pool`, and corrections from a `feed` if there is one.

    Closes of completed days are cached until `forget_closes`, the coverage, corrections and rates of
    sources until `forget_coverage`. Any method may raise StoreBusy.
    """

    def __init__(
        self,
        archive: PublishedArchive,
        bars: BarReader,
        pool: ReaderPool,
        clock: Callable[[], datetime],
        feed: CorrectionFeed | None = None,
    ) -> None:
        self._archive = archive
        self._read_feed = archive.corrections_after if feed is None else feed.read
        self._read_corrections = archive.corrections if feed is None else feed.about
        self._bars = bars
        self._call = pool.call
        self.spare_this_thread = pool.spare_this_thread
        self._clock = clock
        self._closes: dict[tuple[str, date], ReceivedFixing] = {}
        self._coin_series: dict[str, PairSeries | None] = {}
        self._coverage: list[Sequence[PairCoverage]] = []
        self._corrections: dict[CorrectionQuery, Sequence[AnyCorrection]] = {}
        self._source_rates: dict[_AskedRates, SourceRates] = {}

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

    def known_fixings(self, delivery: int, source: str, code: str, day: date) -> Sequence[ReceivedFixing]:
        """Return as `published_fixings` what deliveries up to a number said. Errors: RateUnavailable."""
        return self._read(self._archive.published_fixings, source, code, day, delivery)

    def known_close(self, delivery: int, coin: str, day: date) -> ReceivedFixing | None:
        """Return as `close` what deliveries up to a number said. Errors: RateUnavailable."""
        newest = self.close(coin, day)
        if newest is None or newest.delivery <= delivery:
            return newest
        try:
            revisions = self._call(self._archive.revisions, Pair(coin, PIVOT), day)
        except StoreBroken as error:
            raise RateUnavailable("The archive of closes cannot be read now") from error
        return find_close(each for each in revisions if each.delivery <= delivery)

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

    def coin_series(self, coin: str, first: date, last: date) -> PairSeries | None:
        """Return the closes of a coin from one day to another; None if there are none. Errors: RateUnavailable.

        All of them are read at once and cached: a coin has one for each day that this service has run.
        """
        cached = self._coin_series  # before reading, as in `close`
        if coin not in cached:
            found = self._read(self._pair_series, partial(_is_close, Pair(coin, PIVOT)), FIRST_DAY, date.max)
            if len(cached) >= _MAX_COIN_SERIES:
                cached.clear()
            cached[coin] = found[0][1] if found else None
        return between(cached[coin], first, last)

    def coverage(self) -> Sequence[PairCoverage]:
        """Return the coverage of all sources, as a `ReadCoverage` does. Errors: RateUnavailable."""
        cached = self._coverage  # before reading, as in `close`
        if not cached:
            try:
                cached.append(self._call(self._archive.pair_coverage))
            except StoreBroken as error:
                raise RateUnavailable("The archive of fixings cannot be read now") from error
        return cached[0]

    def corrections(self, query: CorrectionQuery) -> Sequence[AnyCorrection]:
        """Return corrections, as a `ReadCorrections` does. Errors: RateUnavailable."""
        cached = self._corrections  # before reading, as in `close`
        found = cached.get(query)
        if found is None:
            try:
                found = self._call(self._read_corrections, query)
            except StoreBroken as error:
                raise RateUnavailable("The archive of fixings cannot be read now") from error
            if len(cached) >= _MAX_CORRECTION_LISTS:
                cached.clear()
            cached[query] = found
        return found

    def source_rates(self, anchors: Mapping[str, str], codes: Collection[str], first: date, last: date) -> SourceRates:
        """Return the rates of several sources, as a `ReadSourceRates` does.

        Those of a day, or of a pair in a year, are cached. Errors: RateUnavailable.
        """
        cached, wanted = self._source_rates, (tuple(anchors.items()), frozenset(codes), first, last)
        found = cached.get(wanted)
        if found is None:
            read = partial(read_source_rates, self._pair_series, anchors, codes, first, last)
            try:
                found = self._call(read)
            except StoreBroken as error:
                raise RateUnavailable("The archive of fixings cannot be read now") from error
            if len(anchors) * len(codes) * (last - first).days <= _MOST_CACHED_RATES:
                if len(cached) >= _MAX_DAYS_OF_SOURCES:
                    cached.clear()
                cached[wanted] = found
        return found

    def _pair_series(self, wanted: PairFilter, first: date, last: date) -> list[tuple[str, PairSeries]]:
        return list(self._archive.pair_series(wanted, first, last))

    def feed(self, after: FeedPosition | None, up_to: int, limit: int) -> Sequence[FeedEntry]:
        """Return the next corrections, as a `ReadFeed` does. Errors: RateUnavailable."""
        return self._read(self._read_feed, after, up_to, limit)

    def vintages(self, pair: Pair, day: date, up_to: int | None) -> Sequence[ReceivedFixing]:
        """Return everything received for a day, as a `ReadVintages` does. Errors: RateUnavailable."""
        return self._read(self._archive.vintages, pair, day, up_to)

    def _read(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return self._call(read, *args, **kwargs)
        except StoreBroken as error:
            raise RateUnavailable("The archive of fixings cannot be read now") from error

    def forget_coverage(self) -> None:
        """Read the coverage, corrections and rates of sources again: fixings were added."""
        self._coverage = []
        self._corrections = {}
        self._source_rates = {}

    def forget_closes(self) -> None:
        """Read every close again: the archive has changed."""
        self._closes = {}
        self._coin_series = {}


def _is_close(wanted: Pair, source: str, pair: Pair) -> bool:
    return source == CLOSES and pair == wanted
