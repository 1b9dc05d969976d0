"""Check a data directory: are the database and the files beside it still as they were written?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cambist.errors import CambistError, RateBookDamaged, RateMatrixDamaged, StoreBroken
from cambist.history.damaged_rows import DamageReport
from cambist.registry.components import environment_of, open_store
from cambist.settings import Settings
from cambist.status.environment import check_rate_book, check_rate_matrix
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

RESTORE = "restore the database from a backup"
REBUILD = "it is rebuilt by a running service within a minute, else at the next start"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A checked part of a data directory: its faults, none if it is sound, and what to do about them."""

    part: str
    faults: tuple[str, ...] = ()
    remedy: str = ""


def check_data_directory(settings: Settings) -> Iterator[CheckResult]:
    """Check a data directory part by part, whether its service runs or not. Errors: CannotStart."""
    folder, environment = DataDirectory(settings.data), environment_of(settings)
    folder.check(environment)
    store = open_store(settings)
    try:
        yield CheckResult("database", tuple(store.faults()), RESTORE)
        yield from _check_fixings(store)
    finally:
        store.close()
    yield _check_part("rate image", lambda: check_rate_matrix(open_rate_matrix(folder.matrix), environment))
    yield _check_part(
        "book", lambda: (book := RateBookFile(folder.path).current_with_votes()) and check_rate_book(book, environment)
    )


def _check_fixings(store: Store) -> Iterator[CheckResult]:
    try:
        for source in store.archive.sources():
            damage = DamageReport()
            for _ in store.archive.rates(source, damage):
                pass
            rows = [f"the row {row} is not what was filed" for row in damage.rows]
            missing = [f"{damage.missing} rows are gone"] if damage.missing else []
            yield CheckResult(f"fixings of {source}", (*rows, *missing), RESTORE)
    except StoreBroken as error:
        yield CheckResult("fixings", (str(error),), RESTORE)


def _check_part(part: str, check: Callable[[], object]) -> CheckResult:
    try:
        check()
    except (RateMatrixDamaged, RateBookDamaged) as damage:
        return CheckResult(part, (str(damage),), REBUILD)
    except (CambistError, OSError) as error:
        return CheckResult(part, (str(error),))
    return CheckResult(part)
