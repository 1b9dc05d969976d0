"""Where the rate matrix and the rate book of a data directory come from: its archive, or a simulated market."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from cambist.history.archive import FixingArchive
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.snapshot_builder import is_current, rate_book_from_archive, rate_matrix_from_archive
from cambist.pricing.rate_book import RateBook
from cambist.registry.sandbox_snapshots import SandboxSnapshots
from cambist.registry.sources import fixing_adapters
from cambist.settings import Settings
from cambist.sources.base import Source


class SnapshotSource(Protocol):
    """Where image and book come from: the archive, or the simulated market of a sandbox."""

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Say whether an image is the one of this moment."""

    def matrix(self, now: datetime) -> RateMatrix:
        """Build the image."""

    def book(self, version: int, now: datetime) -> RateBook:
        """Make a book."""


class ArchiveSnapshots:
    """What the archive holds."""

    def __init__(self, archive: FixingArchive, sources: Sequence[Source]) -> None:
        self._archive = archive
        self._sources = sources

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Say whether an image still shows the archive."""
        return is_current(matrix, self._archive, now.date())

    def matrix(self, now: datetime) -> RateMatrix:
        """Build the image of all fixings."""
        return rate_matrix_from_archive(self._archive, self._sources, now.date())

    def book(self, version: int, now: datetime) -> RateBook:
        """Make the book of the newest fixings."""
        return rate_book_from_archive(self._archive, self._sources, version, now)


def open_snapshot_source(settings: Settings, archive: FixingArchive) -> SnapshotSource:
    """Give where image and book of a folder come from."""
    if settings.sandbox:
        return SandboxSnapshots(settings)
    return ArchiveSnapshots(archive, [adapter.source for adapter in fixing_adapters(settings).values()])
