"""The guard of the rate matrix: it finds a missing or damaged file while the service runs, and has it rebuilt."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from os import stat_result
from pathlib import Path
from time import monotonic, sleep

from prometheus_client import Counter, Gauge

from cambist.errors import CambistError, RateMatrixDamaged
from cambist.registry.wiring.components import environment_of
from cambist.settings import Settings
from cambist.status.environment import check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

log = logging.getLogger(__name__)

_POLL_SECONDS = 1.0
_CHECK_SECONDS = 60.0
_RETRY_SECONDS = 10.0

DAMAGED_ROWS = Gauge("cambist_archive_damaged_rows", "Damaged or missing rows of the database, left out of all rates")
REBUILDS = Counter("cambist_image_rebuilt", "Times that the rate matrix was missing or damaged, and was rebuilt")


class RateMatrixGuard:
    """Checks the file every second, and its checksum once a minute and when the file has been replaced."""

    def __init__(self, settings: Settings, rebuild: Callable[[], None]) -> None:
        self._matrix = DataDirectory(settings.data).matrix
        self._environment = environment_of(settings)
        self._rebuild = rebuild
        self._seen: tuple[int, int, int] | None = None
        self._due = 0.0
        self._is_failing = False

    def watch(self) -> None:
        """Check the file every second until the process ends, in a thread of its own: building takes seconds."""
        threading.Thread(target=self._watch, name="rate matrix guard", daemon=True).start()

    def _watch(self) -> None:
        while True:
            sleep(_POLL_SECONDS)
            self.check(monotonic())

    def check(self, now: float) -> None:
        """Check the file if that is due, and rebuild it if it is missing or damaged."""
        found = _file_identity(self._matrix)
        if now < self._due and (self._is_failing or found == self._seen):
            return
        try:
            self._check_file()
            self._seen, self._due = found, now + _CHECK_SECONDS
        except RateMatrixDamaged as damage:
            self._repair(damage, now)

    def _check_file(self) -> None:
        DAMAGED_ROWS.set(check_rate_matrix(open_rate_matrix(self._matrix), self._environment).damaged)

    def _repair(self, damage: RateMatrixDamaged, now: float) -> None:
        if not self._is_failing:
            log.error("%s: it is rebuilt from the database", damage)
        try:
            self._rebuild()
            self._check_file()
        except (CambistError, OSError) as error:
            if not self._is_failing:
                log.error("The rate matrix cannot be rebuilt, and is tried again: %s", error)  # noqa: TRY400
            self._is_failing, self._seen, self._due = True, None, now + _RETRY_SECONDS
            return
        REBUILDS.inc()
        log.info("Image: rebuilt")
        self._is_failing, self._seen, self._due = False, _file_identity(self._matrix), now + _CHECK_SECONDS


def _file_identity(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is replaced or truncated; None if there is no file."""
    try:
        found: stat_result = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
