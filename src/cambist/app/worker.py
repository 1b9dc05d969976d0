"""One worker: what each server process is made of."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from datetime import date
from time import sleep

from cambist.app import garbage
from cambist.app.metering import open_meter
from cambist.app.parts import ages_of, endpoints, environment_of, open_store
from cambist.app.plans import current_plans
from cambist.app.request_report import open_request_counts
from cambist.errors import BoardDamaged, CannotStart, ImageDamaged, RateUnavailable, StoreBroken
from cambist.history.closes import close_of
from cambist.history.environment import Environment, check_book, check_image
from cambist.history.fixing import Known
from cambist.history.image import RateImage
from cambist.history.report import Bulletin
from cambist.market.book import Book
from cambist.market.pair import PIVOT, Pair
from cambist.metals.mass import units_with
from cambist.server import render
from cambist.server.counted import counted
from cambist.server.desk import Desk
from cambist.server.front import Wsgi
from cambist.server.watch import Watch
from cambist.server.wsgi import Options, build_wsgi
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import open_image
from cambist.stores.records import read_record

log = logging.getLogger(__name__)

_WAIT_FOR_IMAGE = 0.2


class Worker:
    """One process that answers: its desk, its meter, and its watch over both."""

    def __init__(self, settings: Settings) -> None:
        self._folder = DataFolder(settings.data)
        self._environment = environment_of(settings)
        self._board = FileBoard(self._folder.path)
        self._store = open_store(settings)
        self._store.hold_open()
        seen = {news: self._board.version(news) for news in News}
        self._desk = Desk(
            self._book(),
            self._first_image(),
            self._store.accounts.by_key(),
            current_plans(self._folder.path),
            longest_age=settings.fixing_max_age,
        )
        self._desk.ages = ages_of(settings)
        self._desk.units = units_with(settings.tael_grams, settings.baht_grams)
        self._desk.closes = self._close
        if self._environment is Environment.LIVE:
            self._desk.words = self._words
        self._desk.bars = self._store.bars
        self._desk.take_bulletin(self._bulletin())
        self._meter = open_meter(settings, self._store)
        self._seen = seen

    def watch(self, supervisor: int) -> Watch[News]:
        """Make the thread that takes up what is new; without the process `supervisor` the worker ends."""
        desk, folder = self._desk, self._folder
        take = {
            News.BOOK: lambda: desk.take_book(self._book()),
            News.IMAGE: lambda: desk.take_image(self._image()),
            News.ACCOUNTS: lambda: desk.take_accounts(self._store.accounts.by_key()),
            News.SOURCES: lambda: desk.take_bulletin(self._bulletin()),
            News.PLANS: lambda: desk.take_plans(current_plans(folder.path)),
        }
        return Watch(self._board.version, self._seen, take, self._tick, supervisor)

    def wsgi(self, settings: Settings) -> Wsgi:
        """Make the application."""
        render.prepare()
        options = Options(
            path_prefix=settings.path_prefix,
            cors_origin=settings.cors_origin,
            closed_max_age=settings.closed_max_age,
            proxies=settings.proxy_networks,
            environment="" if self._environment is Environment.LIVE else self._environment,
        )
        application = build_wsgi(endpoints(), self._desk, self._meter, options)
        counts = open_request_counts(settings)
        return counted(application, counts) if counts else application

    def _book(self) -> Book:
        current = self._board.current()
        if current is None:
            raise BoardDamaged(f"No book has been published in {self._folder.path}")
        return check_book(current, self._environment)

    def _first_image(self) -> RateImage:
        """Take the image; where it is missing or damaged, wait for the one that is being rebuilt."""
        is_told, supervisor = False, os.getppid()
        while True:
            try:
                return self._image()
            except ImageDamaged as damage:
                if not is_told:
                    log.error("%s: this worker waits until it is rebuilt", damage)  # noqa: TRY400
                is_told = True
            if os.getppid() != supervisor:
                raise CannotStart("The supervisor has died while this worker waited for an image")
            sleep(_WAIT_FOR_IMAGE)

    def _image(self) -> RateImage:
        return check_image(open_image(self._folder.image), self._environment)

    def _bulletin(self) -> Bulletin | None:
        bulletin = read_record(self._folder.bulletin, Bulletin)
        return bulletin if bulletin and bulletin.environment == self._environment else None

    def _words(self, source: str, code: str, day: date) -> Sequence[Known]:
        """Read what a source published, from the archive. Errors: RateUnavailable where it cannot be read now."""
        try:
            return self._store.archive.words(source, code, day)
        except StoreBroken as error:
            raise RateUnavailable("The archive of fixings cannot be read now") from error

    def _close(self, coin: str, day: date) -> Known | None:
        """Read a coin's close from the archive. Errors: RateUnavailable where it cannot be read now."""
        try:
            return close_of(self._store.archive.trail(Pair(coin, PIVOT), day))
        except StoreBroken as error:
            raise RateUnavailable("The archive of closes cannot be read now") from error

    def _tick(self) -> None:
        now = self._desk.clock()
        self._desk.tick()
        self._meter.tick(self._desk.subscribers(), now)


def load_worker(settings: Settings, supervisor: int) -> Wsgi:
    """Make one worker's application and start its watch: what `server` runs in each process.

    `supervisor` is the process without which a worker ends.
    """
    worker = Worker(settings)
    worker.watch(supervisor).start()
    application = worker.wsgi(settings)
    garbage.seldom()
    return application
