"""Find inconsistencies in the database's file with SQLite's own checks."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from sqlalchemy import Engine

from cambist.errors import StoreBroken

_log = logging.getLogger(__name__)

_STEPS = 100_000
"""How many steps the database makes between two checks of the deadline: some milliseconds."""


def faults(engine: Engine, within: float | None = None) -> list[str]:
    """Check every page and index. With `within`, check only the pages, for at most so many seconds."""
    if engine.dialect.name != "sqlite":
        return []
    deadline = None if within is None else monotonic() + within
    pragma = "integrity_check" if within is None else "quick_check"
    try:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            driver.set_progress_handler(lambda: deadline is not None and monotonic() > deadline, _STEPS)
            found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {pragma}")]
    except StoreBroken as error:
        if "interrupted" not in str(error):
            return [str(error)]
        _log.info("The database is too large to be checked in %.0f s: [cambist check] checks all of it", within)
        return []
    return [] if found == ["ok"] else found
