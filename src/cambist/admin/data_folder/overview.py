"""What an operator sees at a glance: rate book, rate matrix and disk of a data directory."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from cambist.errors import RateBookDamaged, RateMatrixDamaged
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.unix_time import from_unix_us
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix


@dataclass(frozen=True, slots=True)
class BookFacts:
    """The current rate book: its version, when it was published (UTC), and how many quotes it has.

    `newest_at` is the newest market time of a currency, `oldest_at` the oldest of what lists of all currencies show,
    and `oldest` whose it is.
    """

    version: int
    at: datetime
    quotes: int
    newest_at: datetime
    oldest: str
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class MatrixFacts:
    """The rate matrix: what it was built from, its last day with a fixing, and its file."""

    revision: str
    last_day: date
    currencies: int
    written_at: datetime
    bytes: int


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """The data folder, and the disk that it is on, in bytes."""

    folder: str
    used_bytes: int
    free_bytes: int
    total_bytes: int


class DataOverview:
    """Reads the files of a data directory; what has not changed is not read again."""

    def __init__(self, settings: Settings) -> None:
        self._folder = DataDirectory(settings.data)
        self._book_file = RateBookFile(settings.data)
        self._matrix: tuple[tuple[int, int], RateMatrix] | None = None

    def book(self) -> BookFacts | None:
        """Return the facts of the rate book; None if there is none that can be read."""
        try:
            book = self._book_file.current()
        except RateBookDamaged:
            return None
        published_at = self._book_file.published_at()
        if book is None or published_at is None:
            return None
        oldest = min((code for code in book.listed if code in book.times), key=book.times.__getitem__, default="")
        return BookFacts(
            version=book.version,
            at=datetime.fromtimestamp(published_at, UTC),
            quotes=len(book.quotes) + len(book.pairs),
            newest_at=book.as_of,
            oldest=oldest,
            oldest_at=from_unix_us(book.times[oldest]) if oldest else book.as_of,
        )

    def rate_matrix(self) -> RateMatrix | None:
        """Return the rate matrix; None if there is none that can be read."""
        try:
            found = self._folder.matrix.stat()
            stamp = found.st_ino, found.st_mtime_ns
            if self._matrix is None or self._matrix[0] != stamp:
                self._matrix = stamp, open_rate_matrix(self._folder.matrix)
        except (OSError, RateMatrixDamaged):
            return None
        return self._matrix[1]

    def matrix(self) -> MatrixFacts | None:
        """Return the facts of the rate matrix; None if there is none that can be read."""
        matrix = self.rate_matrix()
        if matrix is None:
            return None
        file = self._folder.matrix.stat()
        written_at = datetime.fromtimestamp(file.st_mtime, UTC)
        return MatrixFacts(matrix.revision, matrix.last_fixing, len(matrix.codes), written_at, file.st_size)

    def disk(self) -> DiskFacts:
        """Return the use of the disk."""
        disk = shutil.disk_usage(self._folder.path)
        return DiskFacts(str(self._folder.path.resolve()), _size(self._folder.path), disk.free, disk.total)


def _size(folder: Path) -> int:
    """Return the bytes of all files below a folder. One that vanishes meanwhile is left out."""
    size = 0
    for path in folder.rglob("*"):
        try:
            found = path.lstat()
        except OSError:
            continue
        size += found.st_blocks * 512
    return size
