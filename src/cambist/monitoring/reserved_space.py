"""Reserved disk space: counter files before they are needed, and space for revoking keys."""

from __future__ import annotations

from datetime import date
from time import monotonic

from cambist.registry.accounts.metering import charged_endpoints, writer_slots
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.disk_reserve import DiskReserve
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.usage.space import RequiredSpace
from cambist.storage.shared.usage.usage_writer import UsageWriter

_RESERVE_SECONDS = 10.0


class ReservedSpace:
    """Reserves disk space, so that a full disk is found while there is still space for what must go on."""

    def __init__(self, settings: Settings, store: AccountStore, usage_writer: UsageWriter) -> None:
        folder = DataDirectory(settings.data)
        self._store = store
        self._usage_writer = usage_writer
        self._changes = data_changes(folder.path)
        self._reserve = DiskReserve(folder.reserve)
        self._seen: int | None = None
        self._required = RequiredSpace(charged_endpoints(), writer_slots(settings), 0, 0)
        self._due = 0.0

    def reserve(self, today: date) -> None:
        """Reserve what is missing. Errors: StoreBroken."""
        self._count_accounts()
        self._usage_writer.reserve_space(self._required, today)
        if monotonic() >= self._due:
            self._due = monotonic() + _RESERVE_SECONDS
            self._reserve.allocate()

    def _count_accounts(self) -> None:
        version = self._changes.version(Topic.ACCOUNTS)
        if version == self._seen:
            return
        account, key = self._store.accounts.highest_numbers()
        self._required = RequiredSpace(self._required.endpoints, self._required.slots, account, key)
        self._seen = version
