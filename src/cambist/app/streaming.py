"""The stream's process: it watches the board, and tells everybody who listens what has changed.

It owns nothing that another process waits for. Killed at any moment, its successor serves whoever connects again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import logging.config
import os
import resource
import signal
import ssl
import time
from collections.abc import Awaitable, Callable

from cambist.accounts.addresses import client_address
from cambist.app import garbage
from cambist.app.metering import open_meter
from cambist.app.parts import ages_of, environment_of, open_store
from cambist.app.plans import current_plans
from cambist.app.stream_report import REPORT_EVERY, StreamReport
from cambist.history.environment import check_book
from cambist.market.pair import Pair
from cambist.server.desk import utc_now
from cambist.server.logs import log_config
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.records import write_record
from cambist.stream.door import Door
from cambist.stream.hub import Hub
from cambist.stream.prices import Prices
from cambist.stream.session import State
from cambist.stream.sockets import Sockets

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.01
_SETTLE_EVERY = 0.05
_SETTLE_SOON = 0.005
_CHECK_EVERY = 0.5
_RETRY_EVERY = 1.0
_SILENT_AFTER = 15.0
_LEAVE_LOOKS = 100
_NONE = -1


def stream(settings: Settings, supervisor: int) -> None:
    """Stream until told to stop, or until the supervisor has died."""
    logging.config.dictConfig(log_config(settings.log_level))
    for library in ("picows", "aiofastnet"):  # what clients do wrong is told to them, not to the log
        logging.getLogger(library).setLevel(logging.CRITICAL)
    _open_many()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the supervisor, which stops the others in order
    asyncio.run(Streaming(settings).run(supervisor))


class Streaming:
    """What all sockets share, and the tasks that keep it up to date."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = DataFolder(settings.data)
        self._environment = environment_of(settings)
        self._board = FileBoard(self._folder.path)
        self._store = open_store(settings)
        self._seen = {news: self._board.version(news) for news in (News.ACCOUNTS, News.PLANS)}
        self._seen[News.BOOK] = _NONE
        self._prices = Prices(ages_of(settings), utc_now, settings.fixing_max_age)
        self._meter = open_meter(settings, self._store)
        self.door = Door(self._store.accounts.by_key(), current_plans(self._folder.path), self._meter)
        self.hub = Hub(self._prices)
        self._book_at = self._published_at()
        self._failed: dict[News, int] = {}
        self._failing: set[News] = set()
        self._sockets = Sockets(self)

    # What sockets ask

    def now(self) -> float:
        """Give the seconds since 1970."""
        return time.time()

    def moment(self) -> float:
        """Give seconds of a clock that only goes forward."""
        return time.monotonic()

    def pairs(self, names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        """Give the pairs that names stand for, by symbol, and the names of none."""
        return self._prices.pairs(names)

    def state(self) -> State:
        """Say whether prices flow."""
        book = self._prices.book
        return State(book.version if book else 0, self.now() - self._book_at if book else None, _SILENT_AFTER)

    def address(self, peer: str, forwarded: str) -> str:
        """Give the client's address."""
        return client_address(peer, forwarded, self._settings.proxy_networks)

    # What it does

    async def run(self, supervisor: int) -> None:
        """Listen and tell until told to stop."""
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await self._take_up(News.BOOK, self._take_book)
        garbage.seldom()
        works = (self._listen, self._watch, self._settle, self._check, self._report)
        tasks = [asyncio.create_task(work()) for work in works]
        while os.getppid() == supervisor and not stop.is_set():
            await asyncio.sleep(0.1)
            for task in tasks:
                if task.done() and task is not tasks[0]:
                    task.result()
        self._sockets.dismiss()
        await self._all_gone()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._store.close()

    async def _all_gone(self) -> None:
        for _ in range(_LEAVE_LOOKS):
            if not self._sockets.visits:
                return
            await asyncio.sleep(_LOOK_EVERY)

    async def _listen(self) -> None:
        """Listen as soon as the port can be had; that it cannot is said once and does no other harm."""
        host, port = self._settings.host, self._settings.stream_port
        is_said = False
        while True:
            try:
                await self._sockets.open(host, port, _tls(self._settings))
            except OSError as error:
                if not is_said:
                    log.warning("Stream: cannot listen on %s port %d: %s", host, port, error.strerror or error)
                is_said = True
                await asyncio.sleep(_RETRY_EVERY)
                continue
            scheme = "wss" if self._settings.tls_cert else "ws"
            log.info("Stream: %s://%s:%d", scheme, host, port)
            return

    async def _watch(self) -> None:
        """Take up what is new as soon as the board tells of it."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            await self._take_up(News.BOOK, self._take_book)
            await self._take_up(News.ACCOUNTS, self._take_accounts)
            await self._take_up(News.PLANS, self._take_plans)

    async def _take_up(self, news: News, take: Callable[[], Awaitable[None]]) -> None:
        """Take up news; what cannot be taken up leaves the old in place, and is tried again after a while."""
        version = self._board.version(news)
        if version in (self._seen[news], self._failed.get(news)):
            return
        try:
            await take()
        except Exception:  # as everywhere: what is told stays right as long as it can, and no key stays open unseen
            self._failed[news] = version
            if news not in self._failing:
                log.exception("Stream: what is new cannot be taken up, the last state stays: %s", news.name.lower())
            self._failing.add(news)
            return
        self._seen[news] = version
        if news in self._failing:
            log.info("Stream: what is new is taken up again: %s", news.name.lower())
        self._failing.discard(news)

    async def _take_book(self) -> None:
        book = self._board.current()
        if book is None:
            return
        check_book(book, self._environment)
        self._book_at = self._published_at()
        for _ in self.hub.take(book):
            await asyncio.sleep(0)

    async def _take_accounts(self) -> None:
        self.door.take(holders=await asyncio.to_thread(self._store.accounts.by_key))
        await self._end_refused()

    async def _take_plans(self) -> None:
        self.door.take(plans=await asyncio.to_thread(current_plans, self._folder.path))
        await self._end_refused()

    async def _end_refused(self) -> None:
        for _ in self._sockets.check():
            await asyncio.sleep(0)

    async def _settle(self) -> None:
        """Pay what was owed until a moment that has come."""
        while True:
            await asyncio.sleep(_SETTLE_SOON if self.hub.is_behind else _SETTLE_EVERY)
            for _ in self.hub.settle(self.moment()):
                await asyncio.sleep(0)

    async def _check(self) -> None:
        """End what may no longer be, charge and ping the others."""
        while True:
            await asyncio.sleep(_CHECK_EVERY)
            self._failed.clear()
            self._meter.tick(self.door.bearers, self.now())
            await self._end_refused()
            self.hub.ping(self.moment())

    async def _report(self) -> None:
        """Say every few seconds what is done here; where that cannot be written, the report grows old."""
        while True:
            with contextlib.suppress(OSError):
                write_record(self._folder.stream_report, self._reported())
            await asyncio.sleep(REPORT_EVERY)

    def _reported(self) -> StreamReport:
        hub, sockets = self.hub, self._sockets
        return StreamReport(
            utc_now(), sockets.is_open, len(sockets.visits), len(hub), hub.pairs, prices=hub.told, lost=hub.lost
        )

    def _published_at(self) -> float:
        """Give when the last book was published, also by a service that has ended since."""
        published = self._board.published_at()
        return self.now() if published is None else published


def _open_many() -> None:
    """Let as many sockets be open as the machine allows: whoever connects and says nothing takes one for a while."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(settings.tls_cert, settings.tls_key)
    return context
