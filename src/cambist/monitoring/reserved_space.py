"""Room kept in reserve: pages of the ledger before they are needed, and disk space for ending keys."""

from __future__ import annotations

from datetime import date
from time import monotonic

from cambist.registry.metering import charged, columns
from cambist.settings import Settings
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.disk_reserve import DiskReserve
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.usage.space import RequiredSpace
from cambist.storage.shared.usage.usage_writer import UsageWriter

_KEEP_EVERY = 10.0


class ReservedSpace:
    """Sees to it that a disk that fills up is noticed while there is still room for what must go on."""

    def __init__(self, settings: Settings, store: Store, keeper: UsageWriter) -> None:
        folder = DataDirectory(settings.data)
        self._store = store
        self._keeper = keeper
        self._changes = data_changes(folder.path)
        self._reserve = DiskReserve(folder.reserve)
        self._seen: int | None = None
        self._need = RequiredSpace(charged(), columns(settings), 0, 0)
        self._due = 0.0

    def keep(self, today: date) -> None:
        """Make what is not there. Errors: StoreBroken."""
        self._count_accounts()
        self._keeper.reserve_space(self._need, today)
        if monotonic() >= self._due:
            self._due = monotonic() + _KEEP_EVERY
            self._reserve.allocate()

    def _count_accounts(self) -> None:
        version = self._changes.version(Topic.ACCOUNTS)
        if version == self._seen:
            return
        stored_keys = self._store.accounts.by_key().values()
        account = max((stored_key.account.number for stored_key in stored_keys), default=0)
        key = max((stored_key.key for stored_key in stored_keys), default=0)
        self._need = RequiredSpace(self._need.endpoints, self._need.slots, account, key)
        self._seen = version
