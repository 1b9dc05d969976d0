"""The work of the archive worker: parse and store what sources published, judge it, and build the rate matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Concatenate, ParamSpec, TypeVar

from cambist.errors import RateMatrixDamaged, SourceBroken
from cambist.history.bar_merging import merged_from_stored
from cambist.history.bars import Interval, PairBar
from cambist.history.dispute import Disputes, HeldFixings
from cambist.history.disputes import held_fixings, judge_contested, open_disputes
from cambist.history.fixing import Coverage, FilingResult
from cambist.history.judging import Judging
from cambist.history.price_samples import KEPT_FOR, PriceSample
from cambist.history.rate_matrix import RateMatrix
from cambist.history.typed_series import CLOSES
from cambist.ingest.coin_closes import CoinCloses, file_closes
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.fixing_quotes import DailyQuotes
from cambist.ingest.snapshot_builder import (
    build_current_matrix,
    is_current,
    judging_of,
    record_edition,
    restore_edition,
)
from cambist.pricing.quote import Quote
from cambist.registry.archiving.open_bars import notify_of_bars
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.sources.payloads.memory import memory_limited
from cambist.status.environment import Environment, check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix

P = ParamSpec("P")
T = TypeVar("T")

_NEVER_LED = 0
"""The epoch of no leader."""


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What is stored of a source: how many codes, from when to when, and its newest day."""

    codes: int
    coverage: Coverage | None
    newest: datetime | None


@dataclass(frozen=True, slots=True)
class ArchiveDisputes:
    """The open disputes, and the held fixings of the sources that have any."""

    disputes: Disputes
    held: Mapping[str, HeldFixings]


class ArchiveTasks:
    """The work of the archive worker, on the stores of a data directory.

    On one of several nodes, what files works only through `as_leader`, in the epoch of the leader.
    Errors when made: CannotStart for the directory of a sandbox, which has no archive.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = DataDirectory(settings.data)
        self._folder.check(Environment.LIVE)
        self._changes = data_changes(self._folder.path)
        self._settings = settings
        self._epoch = _NEVER_LED if settings.is_node else None
        self._store = open_store(settings, self._epoch)
        self._adapters = fixing_adapters(settings)
        self._sources = {key: adapter.source for key, adapter in self._adapters.items()}
        self._judging = self._new_judging()
        self._matrix: RateMatrix | None = None
        self._matrix_seen = -1

    def as_leader(
        self, epoch: int, method: Callable[Concatenate[ArchiveTasks, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call one of the other methods, and commit what it files only in this epoch. Errors: NoLongerLeading."""
        if epoch != self._epoch:
            self._store.close()
            self._epoch, self._store = epoch, open_store(self._settings, epoch)
            self._judging = self._new_judging()
        return method(self, *args, **kwargs)

    def file(
        self, key: str, delivery: Delivery, progress: Callable[[int], None] = lambda _count: None
    ) -> FilingResult | None:
        """Parse and store a delivery. Errors: SourceBroken, also if it takes too much memory; StoreBroken."""
        try:
            with memory_limited():
                filed = file_delivery(self._store.archive, self._adapters[key], delivery, progress)
        except MemoryError:
            # Without its cause, whose frames hold the memory.
            raise SourceBroken(f"{key}: reading what it sent takes more memory than any answer needs") from None
        if filed is not None and filed.days is not None:
            self._judging.note_filed(filed.delivery, *filed.days)
        return filed

    def _new_judging(self) -> Judging:
        return judging_of(self._store, list(self._sources.values()))

    def file_closes(self, closes: Sequence[CoinCloses]) -> FilingResult:
        """Store the closes of a day. Errors: StoreBroken."""
        filed = file_closes(self._store.archive, closes)
        if filed.corrected:
            self._changes.notify(Topic.ARCHIVE)
        return filed

    def file_missing_closes(self, closes: Sequence[CoinCloses]) -> FilingResult:
        """Store those closes of a day of whose coin none is stored. Errors: StoreBroken."""
        stored = {
            known.fixing.pair
            for day in {one.day for each in closes for one in each.fixings}
            for known in self._store.archive.fixings_on(CLOSES, day)
        }
        missing = [
            replace(each, fixings=fixings)
            for each in closes
            if (fixings := tuple(one for one in each.fixings if one.pair not in stored))
        ]
        return self.file_closes(missing)

    def file_bars(self, bars: Sequence[PairBar]) -> None:
        """Store completed bars. Errors: StoreBroken."""
        self._store.bars.file(bars)
        notify_of_bars(self._changes, bars)

    def file_bars_of_node(self, bars: Sequence[PairBar], since: datetime, *, only_missing: bool) -> None:
        """Store completed bars of a node that has led since a moment; with `only_missing`, none in place of another.

        A bar of an hour or a day that had begun before is made of the shorter bars as they are stored: the node may
        not have had all ticks, and the leader before it may have had others. Errors: StoreBroken.
        """
        store = self._store.bars.file_missing if only_missing else self._store.bars.file
        for interval in Interval:  # the shortest first
            of_length = [each for each in bars if each.interval is interval]
            if interval is not Interval.MINUTE:
                of_length = [
                    merged_from_stored(self._store.bars, each) if each.bar.start < since else each for each in of_length
                ]
            store(of_length)
        notify_of_bars(self._changes, bars)

    def forget_bars(self, interval: Interval, before: datetime) -> int:
        """Remove bars that start before a moment. Errors: StoreBroken."""
        count = self._store.bars.delete_before(interval, before)
        notify_of_bars(self._changes, removed=count)
        return count

    def file_sample(self, sample: PriceSample) -> None:
        """Store a price sample, and remove those that no answer needs any more. Errors: StoreBroken."""
        self._store.price_samples.file(sample, sample.at - KEPT_FOR)

    def daily_quotes(self, now: datetime, *, of_all: bool = False) -> dict[str, Quote | None]:
        """Judge what is new; return the daily quotes of the codes that it may change, or all. Errors: StoreBroken."""
        self._judging.update()
        daily = DailyQuotes(self._store.archive, self._judging, self._sources)
        changed = self._judging.take_changed()
        return dict(daily.all_quotes(now)) if of_all else daily.quotes(sorted(changed), now)

    def summarize(self, key: str) -> ArchiveSummary:
        """Return what is stored of a source. Errors: StoreBroken."""
        source, history = self._sources[key], self._judging.histories.get(key)
        coverage = self._store.archive.coverage(key)
        newest = None if coverage is None else source.market_time(coverage.last)
        codes = history.codes if history is not None else set()
        return ArchiveSummary(len(codes), coverage, newest)

    def disputes(self, today: date) -> ArchiveDisputes:
        """Return the disputes of what is judged; after a start, a few more codes are judged with each call."""
        complete = judge_contested(self._judging, today)
        found = open_disputes(self._judging, today, complete=complete)
        return ArchiveDisputes(found, held_fixings(self._judging))

    def rebuild_matrix(self, today: date) -> bool:
        """Build the rate matrix if the archive has changed; return whether it had. Errors: StoreBroken."""
        matrix, sources = self._current_matrix(), list(self._sources.values())
        if matrix is not None and is_current(matrix, self._store, today, sources):
            restore_edition(self._store.editions, matrix, sources)
            return False
        built = build_current_matrix(self._judging, today)
        write_rate_matrix(self._folder.matrix, record_edition(self._store.editions, built, sources))
        self._changes.notify(Topic.MATRIX)
        return True

    def _current_matrix(self) -> RateMatrix | None:
        version = self._changes.version(Topic.MATRIX)
        if version != self._matrix_seen or self._matrix is None:
            self._matrix_seen = version
            try:
                self._matrix = check_rate_matrix(open_rate_matrix(self._folder.matrix), Environment.LIVE)
            except RateMatrixDamaged:
                self._matrix = None
        return self._matrix
