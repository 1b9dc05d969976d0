"""The guard of the rate image: notices while the service runs that the file is missing or damaged, and rebuilds it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from os import stat_result
from pathlib import Path
from time import monotonic, sleep

from prometheus_client import Counter, Gauge

from cambist.errors import CambistError, RateMatrixDamaged
from cambist.registry.components import environment_of
from cambist.settings import Settings
from cambist.status.environment import check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
_CHECK_EVERY = 60.0
_RETRY_AFTER = 10.0

DAMAGED_ROWS = Gauge(
    "cambist_archive_damaged_rows", "Rows of the database that are damaged or gone, left out of all rates"
)
REBUILDS = Counter("cambist_image_rebuilt", "Times that the rate image was missing or damaged, and was rebuilt")


class RateMatrixGuard:
    """Looks at the file every second, at its checksum when it is another one and once a minute."""

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
            sleep(_LOOK_EVERY)
            self.look(monotonic())

    def look(self, now: float) -> None:
        """Check the image where that is due, and have it rebuilt where it is not what was written."""
        found = _identity(self._matrix)
        if now < self._due and (self._is_failing or found == self._seen):
            return
        try:
            self._check()
            self._seen, self._due = found, now + _CHECK_EVERY
        except RateMatrixDamaged as damage:
            self._mend(damage, now)

    def _check(self) -> None:
        DAMAGED_ROWS.set(check_rate_matrix(open_rate_matrix(self._matrix), self._environment).damaged)

    def _mend(self, damage: RateMatrixDamaged, now: float) -> None:
        if not self._is_failing:
            log.error("%s: it is rebuilt from the database", damage)
        try:
            self._rebuild()
            self._check()
        except (CambistError, OSError) as error:
            if not self._is_failing:
                log.error("The rate image cannot be rebuilt, which is tried again: %s", error)  # noqa: TRY400
            self._is_failing, self._seen, self._due = True, None, now + _RETRY_AFTER
            return
        REBUILDS.inc()
        log.info("Image: rebuilt")
        self._is_failing, self._seen, self._due = False, _identity(self._matrix), now + _CHECK_EVERY


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Give what changes when a file is replaced or cut; None where there is none."""
    try:
        found: stat_result = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
