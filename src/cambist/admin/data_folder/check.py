"""Check a data directory: are the database and the files beside it still as they were written?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from cambist.admin.data_folder.history_check import ArchiveComparison, edition_faults
from cambist.admin.data_folder.usage_check import usage_faults
from cambist.errors import BadParameter, CambistError, RateBookDamaged, RateMatrixDamaged, StoreBroken
from cambist.history.damaged_rows import DamageReport
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.registry.wiring.components import environment_of, open_store
from cambist.settings import Settings
from cambist.status.environment import Environment, check_rate_book, check_rate_matrix
from cambist.storage import AccountStore, HistoryStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book.votes import vote_faults
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix
from cambist.storage.shared.usage.counter_copy import counter_faults, counter_file_names

RESTORE = "restore the database from a backup"
REBUILD = "it is rebuilt by a running service within a minute, else at the next start"
WRITTEN_AGAIN = "it is written again within a second by a running service"
_COUNTED_AGAIN = "nothing: the other counters are sound, and further calls are counted in another file"
_NOT_BUILT = "not built yet: the next start builds it"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A checked part of a data directory: its faults, none if it is sound, and what to do about them.

    `note` says why a part could not be checked that is not damaged.
    """

    part: str
    faults: tuple[str, ...] = ()
    remedy: str = ""
    note: str = ""


def settings_of_folder(settings: Settings, folder: Path) -> Settings:
    """Return the settings for a folder that is not necessarily the service's, such as a restored one.

    Its environment is its own, and so is its database if it has one. Errors: BadParameter, CannotStart.
    """
    environment = DataDirectory(folder).environment if folder.is_dir() else None
    if environment is None:
        raise BadParameter(f"There is no data folder {folder}: name one that a service or a restore has made")
    own = replace(settings, data=folder, sandbox=environment is Environment.SANDBOX)
    return replace(own, database="") if (folder / "cambist.db").exists() else own


def check_data_directory(settings: Settings, today: date) -> Iterator[CheckResult]:
    """Check a data directory part by part, whether its service runs or not. Errors: CannotStart, SourceRefused."""
    folder, environment = DataDirectory(settings.data), environment_of(settings)
    folder.check(environment)
    sources = [adapter.source for adapter in fixing_adapters(settings).values()]
    store = open_store(settings)
    try:
        archive = ArchiveComparison(store, sources, today)
        yield CheckResult("database", tuple(store.faults()), RESTORE)
        yield from _check_fixings(store)
        if environment is Environment.LIVE:
            yield CheckResult("editions", tuple(edition_faults(store)), RESTORE)
            yield _check_verdicts(archive)
        yield _check_counters(folder)
        yield _check_usage(store, folder)
        yield _check_matrix(folder, environment, archive)
    finally:
        store.close()
    yield _check_part(
        "book", lambda: (book := RateBookFile(folder.path).current_with_votes()) and check_rate_book(book, environment)
    )
    yield CheckResult("votes", tuple(vote_faults(folder.votes)), WRITTEN_AGAIN)


def _check_fixings(store: HistoryStore) -> Iterator[CheckResult]:
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


def _check_verdicts(archive: ArchiveComparison) -> CheckResult:
    try:
        return CheckResult("verdicts", tuple(archive.verdict_faults()), RESTORE)
    except StoreBroken as error:
        return CheckResult("verdicts", (str(error),), RESTORE)


def _check_counters(folder: DataDirectory) -> CheckResult:
    faults = [
        f"{name}: {fault}"
        for name in sorted(counter_file_names(folder.ledger))
        for fault in counter_faults(folder.ledger, name)
    ]
    return CheckResult("usage counters", tuple(faults), _COUNTED_AGAIN)


def _check_usage(store: AccountStore, folder: DataDirectory) -> CheckResult:
    try:
        return CheckResult("usage", tuple(usage_faults(store, folder.ledger)), RESTORE)
    except StoreBroken as error:
        return CheckResult("usage", (str(error),), RESTORE)


def _check_matrix(folder: DataDirectory, environment: Environment, archive: ArchiveComparison) -> CheckResult:
    """Check the rate matrix against the archive; without one, as after a restore, the newest edition."""
    part, is_live = "rate image", environment is Environment.LIVE
    is_missing = not folder.matrix.exists() and not folder.is_claimed()
    try:
        if is_missing:
            faults = archive.newest_edition_faults() if is_live else []
            return CheckResult(part, tuple(faults), RESTORE, "" if faults else _NOT_BUILT)
        matrix = check_rate_matrix(open_rate_matrix(folder.matrix), environment)
        return CheckResult(part, tuple(archive.matrix_faults(matrix) if is_live else ()), RESTORE)
    except RateMatrixDamaged as damage:
        return CheckResult(part, (str(damage),), REBUILD)
    except (CambistError, OSError) as error:
        return CheckResult(part, (str(error),))


def _check_part(part: str, check: Callable[[], object]) -> CheckResult:
    try:
        check()
    except RateBookDamaged as damage:
        return CheckResult(part, (str(damage),), REBUILD)
    except (CambistError, OSError) as error:
        return CheckResult(part, (str(error),))
    return CheckResult(part)
