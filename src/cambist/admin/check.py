"""Checking a data folder: whether the database and the files beside it are still what was written."""

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
    """A part that was checked: its name, what is wrong with it (nothing where it is sound), and what to do."""

    part: str
    faults: tuple[str, ...] = ()
    remedy: str = ""


def check(settings: Settings) -> Iterator[CheckResult]:
    """Check a data folder, part by part, beside a running service or without one. Errors: CannotStart."""
    folder, environment = DataDirectory(settings.data), environment_of(settings)
    folder.check(environment)
    store = open_store(settings)
    try:
        yield CheckResult("database", tuple(store.faults()), RESTORE)
        yield from _fixings(store)
    finally:
        store.close()
    yield _attempted("rate image", lambda: check_rate_matrix(open_rate_matrix(folder.matrix), environment))
    yield _attempted(
        "book", lambda: (book := RateBookFile(folder.path).current()) and check_rate_book(book, environment)
    )


def _fixings(store: Store) -> Iterator[CheckResult]:
    try:
        for source in store.archive.sources():
            damage = DamageReport()
            for _ in store.archive.rates(source, damage):
                pass
            rows = [f"the row {row} is not what was filed" for row in damage.rows]
            gone = [f"{damage.missing} rows are gone"] if damage.missing else []
            yield CheckResult(f"fixings of {source}", (*rows, *gone), RESTORE)
    except StoreBroken as error:
        yield CheckResult("fixings", (str(error),), RESTORE)


def _attempted(part: str, work: Callable[[], object]) -> CheckResult:
    try:
        work()
    except (RateMatrixDamaged, RateBookDamaged) as damage:
        return CheckResult(part, (str(damage),), REBUILD)
    except (CambistError, OSError) as error:
        return CheckResult(part, (str(error),))
    return CheckResult(part)
