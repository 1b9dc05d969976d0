"""The sandbox's player: a process of its own that publishes the books of the simulated market, and its image.

It stands where the gatherer stands in a live service, asks nobody and files nothing but bars. Killed at any moment it
leaves the last book; its successor goes on, for a price is a function of the seed and the time.
"""

from __future__ import annotations

import logging
import logging.config
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from time import monotonic

from cambist.app.simulated import Simulated, last_fixed
from cambist.app.simulated_bars import SimulatedBars
from cambist.errors import BoardDamaged, ImageDamaged
from cambist.history.environment import SIMULATED, Environment, check_book, check_image
from cambist.history.image import FIRST_DAY, RateImage
from cambist.history.report import Bulletin, SourceReport
from cambist.market.book import Book
from cambist.market.standing import Pace, RateType
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES
from cambist.server.desk import utc_now
from cambist.server.logs import log_config
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import open_image, write_image
from cambist.stores.records import write_record

log = logging.getLogger(__name__)

_BOOK_EVERY = 0.5
_BULLETIN_EVERY = timedelta(seconds=1)
_LATE_AFTER = timedelta(minutes=2)


def play(settings: Settings, supervisor: int) -> None:
    """Publish books until told to stop, or until the supervisor has died."""
    logging.config.dictConfig(log_config(settings.log_level))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the supervisor, which stops the others in order
    player = Player(settings, utc_now)
    due = monotonic()
    while os.getppid() == supervisor and not stop.wait(max(due - monotonic(), 0)):
        due = monotonic() + _BOOK_EVERY
        player.turn()
    player.close()


class Player:
    """The simulated market and the folder that it is published into. Errors when made: CannotStart for a live one."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._folder = DataFolder(settings.data)
        self._folder.check(Environment.SANDBOX)
        self._clock = clock
        self._board = FileBoard(self._folder.path)
        self._simulated = Simulated(settings)
        self._bars = SimulatedBars(settings)
        self._book = _last_book(self._board)
        self._image = _last_image(self._folder)
        self._builder = ThreadPoolExecutor(1, "image")
        self._building: Future[RateImage] | None = None
        self._told_at: datetime | None = None

    def turn(self) -> None:
        """Take up the faults, publish a book, report, and have the image built where it has become another."""
        now = self._clock()
        self._simulated.look()
        self._book = self._simulated.book(self._book.version + 1 if self._book else 1, now, self._book)
        self._board.publish(self._book)
        self._bars.take(self._book, now)
        if self._told_at is None or now - self._told_at >= _BULLETIN_EVERY:
            self._told_at = now
            write_record(self._folder.bulletin, report(self._book, now))
            self._board.ring(News.SOURCES)
        self._extend(now)

    def _extend(self, now: datetime) -> None:
        """Build beside the books, which go on meanwhile."""
        if self._building is not None:
            if not self._building.done():
                return
            self._image, self._building = self._building.result(), None
            self._board.ring(News.IMAGE)
            log.info("Image: built, last fixing of %s", self._image.last_fixing)
        if self._image is None or not self._simulated.is_shown_by(self._image, now):
            self._building = self._builder.submit(self._build, now)

    def _build(self, now: datetime) -> RateImage:
        write_image(self._folder.image, self._simulated.image(now))
        return open_image(self._folder.image)

    def close(self) -> None:
        """Let an image be finished that is being built, and what is being written."""
        self._builder.shutdown()
        self._bars.close()


def report(book: Book, now: datetime) -> Bulletin:
    """Report on the one source of a sandbox."""
    quotes = [*book.quotes.values(), *book.pairs.values()]
    simulated = SourceReport(
        key=SIMULATED,
        name="Simulated market",
        home="",
        terms="",
        licence="none: nobody published these numbers",
        redistribution="allowed",
        pace=Pace.REALTIME,
        rate_type=RateType.SIMULATED,
        covers="every currency that floats, metals and coins, all of them invented",
        enabled=True,
        last_success=now,
        newest=max(quote.as_of for quote in quotes),
        late_after=_LATE_AFTER,
        codes=len(book.quotes),
        pairs=len({*CURRENCIES, *METALS} & book.quotes.keys()),
        first=FIRST_DAY,
        last=last_fixed(now),
        ticks=book.version,
    )
    return Bulletin(now, (simulated,), book.version, now, Environment.SANDBOX)


def _last_book(board: FileBoard) -> Book | None:
    try:
        book = board.current()
        return book and check_book(book, Environment.SANDBOX)
    except BoardDamaged:
        return None


def _last_image(folder: DataFolder) -> RateImage | None:
    try:
        return check_image(open_image(folder.image), Environment.SANDBOX)
    except ImageDamaged:
        return None
