"""Room kept in reserve: pages of the ledger before they are needed, and disk space for ending keys."""

from __future__ import annotations

from datetime import date
from time import monotonic

from cambist.app.metering import charged, columns
from cambist.settings import Settings
from cambist.stores import Store
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.ledger.keeper import LedgerKeeper
from cambist.stores.ledger.room import Need
from cambist.stores.reserve import Reserve

_KEEP_EVERY = 10.0


class Room:
    """Sees to it that a disk that fills up is noticed while there is still room for what must go on."""

    def __init__(self, settings: Settings, store: Store, keeper: LedgerKeeper) -> None:
        folder = DataFolder(settings.data)
        self._store = store
        self._keeper = keeper
        self._board = FileBoard(folder.path)
        self._reserve = Reserve(folder.reserve)
        self._seen: int | None = None
        self._need = Need(charged(), columns(settings), 0, 0)
        self._due = 0.0

    def keep(self, today: date) -> None:
        """Make what is not there. Errors: StoreBroken."""
        self._count_accounts()
        self._keeper.make_room(self._need, today)
        if monotonic() >= self._due:
            self._due = monotonic() + _KEEP_EVERY
            self._reserve.keep()

    def _count_accounts(self) -> None:
        version = self._board.version(News.ACCOUNTS)
        if version == self._seen:
            return
        holders = self._store.accounts.by_key().values()
        account = max((holder.account.number for holder in holders), default=0)
        key = max((holder.key for holder in holders), default=0)
        self._need = Need(self._need.endpoints, self._need.columns, account, key)
        self._seen = version
