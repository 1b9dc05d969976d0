"""One worker: what each server process is made of."""

from __future__ import annotations

from cambist.app.parts import endpoints, open_store
from cambist.errors import BoardDamaged
from cambist.history.image import RateImage
from cambist.market.book import Book
from cambist.server import render
from cambist.server.desk import Desk, utc_now
from cambist.server.front import Wsgi
from cambist.server.watch import Watch
from cambist.server.wsgi import Options, build_wsgi
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import open_image


def load_worker(settings: Settings, supervisor: int) -> Wsgi:
    """Make one worker's application and start its watch: what `server` runs in each process.

    `supervisor` is the process without which a worker ends.
    """
    folder = DataFolder(settings.data)
    board, store = FileBoard(folder.path), open_store(settings)

    def image() -> RateImage:
        return open_image(folder.image)

    def book() -> Book:
        current = board.current()
        if current is None:
            raise BoardDamaged(f"No book has been published in {folder.path}")
        return current

    seen = {news: board.version(news) for news in News}
    desk = Desk(book(), image(), store.accounts.by_key(), utc_now, settings.fixing_max_age)
    take = {
        News.BOOK: lambda: desk.take_book(book()),
        News.IMAGE: lambda: desk.take_image(image()),
        News.ACCOUNTS: lambda: desk.take_accounts(store.accounts.by_key()),
    }
    Watch(board.version, seen, take, desk.forget_live, supervisor).start()
    render.prepare()
    options = Options(settings.path_prefix, settings.cors_origin, settings.closed_max_age)
    return build_wsgi(endpoints(), desk, options)
