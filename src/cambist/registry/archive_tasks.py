"""The work of the archive worker: parse, validate and store what sources published, and build the rate matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Concatenate, ParamSpec, TypeVar

from cambist.errors import RateMatrixDamaged, SourceBroken
from cambist.history.bar_merging import merged_from_stored
from cambist.history.bars import Interval, PairBar
from cambist.history.coin_closes import CLOSES
from cambist.history.fixing import Coverage, FilingResult
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.coin_closes import CoinCloses, file_closes
from cambist.ingest.filing import Delivery, FilingContext, count_waiting, file_delivery
from cambist.ingest.fixing_quotes import daily_offers
from cambist.ingest.other_sources import ComparedSources
from cambist.ingest.snapshot_builder import (
    is_current,
    rate_matrix_from_archive,
    record_edition,
    restore_edition,
)
from cambist.pricing.consensus import Offer
from cambist.registry.components import open_store
from cambist.registry.open_bars import notify_of_bars
from cambist.registry.sources import fixing_adapters
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
    """What is stored of a source: its offer for each code, its coverage, and how many fixings are in quarantine."""

    offers: dict[str, Offer]
    coverage: Coverage | None
    waiting: int


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
        self._compared = ComparedSources(adapter.source for adapter in self._adapters.values())
        self._matrix: RateMatrix | None = None
        self._matrix_seen = -1

    def as_leader(
        self, epoch: int, method: Callable[Concatenate[ArchiveTasks, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call one of the other methods, and commit what it files only in this epoch. Errors: NoLongerLeading."""
        if epoch != self._epoch:
            self._store.close()
            self._epoch, self._store = epoch, open_store(self._settings, epoch)
        return method(self, *args, **kwargs)

    def file(
        self, key: str, delivery: Delivery, progress: Callable[[int], None] = lambda _count: None
    ) -> FilingResult | None:
        """Parse, validate and store a delivery. Errors: SourceBroken, also if it takes too much memory; StoreBroken."""
        files = FilingContext(self._store.archive, self._store.quarantine, self._current_matrix(), self._compared)
        try:
            with memory_limited():
                return file_delivery(files, self._adapters[key], delivery, progress)
        except MemoryError:
            # Without its cause, whose frames hold the memory.
            raise SourceBroken(f"{key}: reading what it sent takes more memory than any answer needs") from None

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

    def summarize(self, key: str, today: date) -> ArchiveSummary:
        """Return what is stored of a source. Errors: StoreBroken."""
        source, rank = self._adapters[key].source, list(self._adapters).index(key)
        archive = self._store.archive
        offers = daily_offers(archive, source, rank, today) if source.is_of_main_market else {}
        return ArchiveSummary(offers, archive.coverage(key), count_waiting(self._store.quarantine, source))

    def rebuild_matrix(self, today: date) -> bool:
        """Build the rate matrix if the archive has changed; return whether it had. Errors: StoreBroken."""
        matrix, sources = self._current_matrix(), [adapter.source for adapter in self._adapters.values()]
        if matrix is not None and is_current(matrix, self._store.archive, today, sources):
            restore_edition(self._store.editions, matrix, sources)
            return False
        built = rate_matrix_from_archive(self._store.archive, sources, today)
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
