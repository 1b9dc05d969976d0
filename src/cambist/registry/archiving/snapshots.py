"""Where the rate matrix and the rate book of a data directory come from: its archive, or a simulated market."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from cambist.history.judging import FixingStore
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.snapshot_builder import (
    build_current_matrix,
    is_current,
    judging_of,
    rate_book_of,
    rate_matrix_before,
    record_edition,
    restore_edition,
)
from cambist.pricing.quoted_book import QuotedBook
from cambist.registry.sandbox.sandbox_snapshots import SandboxSnapshots
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.settings import Settings
from cambist.sources.base import Source
from cambist.storage import HistoryStore


class SnapshotSource(Protocol):
    """What builds rate matrices and rate books: from the archive, or of a sandbox's simulated market."""

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Return whether a rate matrix shows everything up to `now`."""

    def build_matrix(self, now: datetime) -> RateMatrix:
        """Build the rate matrix."""

    def matrix_before(self, store: HistoryStore, now: datetime) -> RateMatrix | None:
        """Return the rate matrix of the newest edition if older rules derived it, else None. Errors: StoreBroken."""

    def record_edition(self, matrix: RateMatrix, store: HistoryStore) -> RateMatrix:
        """Return a rate matrix with its edition, which is recorded before it is used. Errors: StoreBroken."""

    def restore_edition(self, matrix: RateMatrix, store: HistoryStore) -> None:
        """Record the edition of a current rate matrix again if the database has lost it. Errors: StoreBroken."""

    def build_book(self, version: int, now: datetime) -> QuotedBook:
        """Build the quotes of the rate book."""


class ArchiveSnapshots:
    """Builds rate matrices and rate books from the archive."""

    def __init__(self, store: FixingStore, sources: Sequence[Source]) -> None:
        self._store = store
        self._sources = sources
        self._judging = judging_of(store, sources)

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Return whether a rate matrix shows everything in the archive up to `now`."""
        return is_current(matrix, self._store, now.date(), self._sources)

    def build_matrix(self, now: datetime) -> RateMatrix:
        """Build the rate matrix of all fixings."""
        return build_current_matrix(self._judging, now.date())

    def matrix_before(self, store: HistoryStore, now: datetime) -> RateMatrix | None:
        """Build the rate matrix of the newest edition again if its verdicts were derived by older rules."""
        return rate_matrix_before(store, store.editions, now.date())

    def record_edition(self, matrix: RateMatrix, store: HistoryStore) -> RateMatrix:
        """Record the edition in the archive's database."""
        return record_edition(store.editions, matrix, self._sources)

    def restore_edition(self, matrix: RateMatrix, store: HistoryStore) -> None:
        """Record the edition in the archive's database if it is missing there."""
        restore_edition(store.editions, matrix, self._sources)

    def build_book(self, version: int, now: datetime) -> QuotedBook:
        """Build the rate book of the newest fixings."""
        return rate_book_of(self._store.archive, self._judging, self._sources, version, now)


def open_snapshot_source(settings: Settings, store: HistoryStore) -> SnapshotSource:
    """Return what builds the rate matrix and the rate book of the settings' data directory."""
    if settings.sandbox:
        return SandboxSnapshots(settings)
    sources = [adapter.source for adapter in fixing_adapters(settings).values()]
    return ArchiveSnapshots(store, sources)
