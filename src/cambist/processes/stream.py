"""The process of the stream: it watches for new rate books, and sends the prices that have changed.

No other process waits for it. If it is killed, its successor serves the clients that connect again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import ssl
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial

from cambist.accounts.principal import Principals
from cambist.clock import utc_now
from cambist.errors import CambistError
from cambist.monitoring.stream_report import REPORT_EVERY, StreamReport
from cambist.processes.process import StopSignal, running_tasks, set_up_process, tune_gc
from cambist.registry.accounts.keyless_accounts import KeyReader
from cambist.registry.accounts.metering import open_meter
from cambist.registry.accounts.plans import current_plans
from cambist.registry.archiving.known_history import open_correction_feed
from cambist.registry.wiring.components import environment_of, max_ages, open_store
from cambist.settings import Settings, authority
from cambist.status.environment import check_rate_book
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.stream_connections import StreamConnections
from cambist.stream.admission import Connections, StreamAdmission
from cambist.stream.alerts import ALERTS, AlertFeed
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.corrections import CORRECTIONS, Corrections
from cambist.stream.feeds import Feed
from cambist.stream.prices import Prices
from cambist.stream.server import StreamServer
from cambist.stream.unauthenticated_limit import UnauthenticatedLimit

log = logging.getLogger(__name__)

_WATCH_SECONDS = 0.1
_CLOSE_SECONDS = 0.01
_FLUSH_SECONDS = 0.05
_FLUSH_SECONDS_BEHIND = 0.005
_CHECK_SECONDS = 0.5
_ALERT_SECONDS = 1.0
_RETRY_SECONDS = 1.0
_CLOSE_CHECKS = 100
_NONE = -1


def stream(settings: Settings, supervisor: int, number: int = 0) -> None:
    """Run the stream until the process should stop; `number` counts the stream processes from 0."""
    set_up_process(settings)
    for library in ("picows", "aiofastnet"):  # a client's mistakes are reported to the client, not in the log
        logging.getLogger(library).setLevel(logging.CRITICAL)
    _raise_file_limit()
    asyncio.run(StreamProcess(settings, number).run(StopSignal(supervisor)))


class StreamProcess:
    """The WebSocket server with all that it needs, and the tasks that keep it up to date."""

    def __init__(self, settings: Settings, number: int = 0) -> None:
        self._settings = settings
        self._number = number
        self._folder = DataDirectory(settings.data)
        self._environment = environment_of(settings)
        self._book_file = RateBookFile(self._folder.path)
        self._store = open_store(settings)
        self._seen = {topic: self._book_file.changes.version(topic) for topic in (Topic.ACCOUNTS, Topic.PLANS)}
        self._seen[Topic.BOOK] = self._seen[Topic.MATRIX] = _NONE
        self._prices = Prices(max_ages(settings), utc_now, settings.fixing_max_age)
        self._broadcaster = Broadcaster(self._prices)
        self._meter = open_meter(settings, self._store)
        billing = Billing(self._meter)
        self._keys = KeyReader(settings, self._store.accounts)
        self._principals = Principals(self._keys.read_all(), current_plans(self._folder.path))
        if self._keys.are_copied:
            self._seen[Topic.ACCOUNTS] = _NONE  # they are read when the database can be reached
        self._admission = StreamAdmission(self._principals, billing, self._connections())
        feed = open_correction_feed(settings, self._store)
        self._corrections = Corrections(feed.read, lambda: utc_now().date())
        self._alerts = AlertFeed(self._store.alerts)
        feeds: dict[str, Feed] = {CORRECTIONS: self._corrections, ALERTS: self._alerts}
        shared = (self._admission, billing, self._prices, self._broadcaster, feeds)
        self._server = StreamServer(StreamContext(*shared, settings.proxy_networks, settings.page_origin))
        self._changed: dict[Topic, asyncio.Event] = {}
        self._failed: dict[Topic, int] = {}
        self._failing: set[Topic] = set()

    def _connections(self) -> Connections | None:
        """Return what counts the connections of all stream processes, if there are several, and of other nodes."""
        processes, is_node = self._settings.stream_workers, self._settings.is_node
        if processes == 1 and not is_node:
            return None
        return StreamConnections(self._folder.stream_connections, self._number, processes, is_node=is_node)

    async def run(self, stop: StopSignal) -> None:
        """Listen and send prices until the process should stop."""
        self._meter.spare_this_thread()
        await self._apply(Topic.BOOK, self._apply_book)
        tune_gc()
        coroutines = (self._listen, self._watch, self._flush, self._check, self._send_alerts, self._report)
        async with running_tasks(task() for task in coroutines) as tasks:
            await stop.wait_beside(tasks)
            self._server.shut_down()
            await self._wait_until_closed()
        self._store.close()

    async def _wait_until_closed(self) -> None:
        for _ in range(_CLOSE_CHECKS):
            if not self._server.connections:
                return
            await asyncio.sleep(_CLOSE_SECONDS)

    async def _listen(self) -> None:
        """Listen as soon as the port is free; log once if it is not, and keep trying."""
        host, port = self._settings.host, self._settings.stream_port
        is_logged = False
        while True:
            try:
                await self._server.listen(host, port, _tls(self._settings), shared=self._settings.stream_workers > 1)
            except OSError as error:
                if not is_logged:
                    log.warning("Stream: cannot listen on %s port %d: %s", host, port, error.strerror or error)
                is_logged = True
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            scheme = "wss" if self._settings.tls_cert else "ws"
            log.info("Stream: %s://%s", scheme, authority(host, port))
            UnauthenticatedLimit(port, self._server, self._settings.proxy_networks).start()
            return

    async def _watch(self) -> None:
        """Apply new books, accounts, plans and corrections as soon as they are there.

        Each has a task of its own, so that no book waits for a database that does not answer.
        """
        applying = {
            Topic.BOOK: self._apply_book,
            Topic.ACCOUNTS: self._apply_accounts,
            Topic.PLANS: self._apply_plans,
            Topic.MATRIX: self._apply_corrections,
        }
        self._changed = {topic: asyncio.Event() for topic in applying}
        notify = partial(asyncio.get_running_loop().call_soon_threadsafe, self._notify)
        changes = self._book_file.changes
        threading.Thread(target=_wait_for_changes, args=(changes, notify), name="changes", daemon=True).start()
        async with running_tasks(self._apply_changes(*each) for each in applying.items()) as tasks:
            await asyncio.gather(*tasks)

    def _notify(self) -> None:
        for changed in self._changed.values():
            changed.set()

    async def _apply_changes(self, topic: Topic, apply: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._changed[topic].wait()
            self._changed[topic].clear()
            await self._apply(topic, apply)

    async def _apply(self, topic: Topic, apply: Callable[[], Awaitable[None]]) -> None:
        """Apply a change. If that fails, the old state stays, and it is tried again after a while."""
        version = self._book_file.changes.version(topic)
        if version in (self._seen[topic], self._failed.get(topic)):
            return
        try:
            await apply()
        except Exception as error:  # whatever fails here, the connections keep what was applied last
            self._failed[topic] = version
            if topic not in self._failing:
                known = isinstance(error, CambistError)
                text = f"Stream: a change of {topic.name.lower()} cannot be applied, the last state stays: {error}"
                log.log(logging.WARNING if known else logging.ERROR, text, exc_info=None if known else error)
            self._failing.add(topic)
            return
        self._seen[topic] = version
        if topic in self._failing:
            log.info("Stream: changes are applied again: %s", topic.name.lower())
        self._failing.discard(topic)

    async def _apply_book(self) -> None:
        book = self._book_file.current()
        if book is None:
            return
        check_rate_book(book, self._environment)
        self._prices.published_at = self._published_at()
        for _ in self._broadcaster.publish(book):
            await asyncio.sleep(0)

    async def _apply_corrections(self) -> None:
        """Send what was corrected up to the newest edition of the history; it is recorded before it is shown."""
        newest = await asyncio.to_thread(self._store.editions.newest)
        if newest is not None:
            await self._corrections.advance(newest)

    async def _apply_accounts(self) -> None:
        changes = await asyncio.to_thread(self._keys.read_changes)
        self._principals.apply(changes)
        self._keys.mark_applied(changes)
        await self._check_connections()

    async def _apply_plans(self) -> None:
        self._principals.update(plans=await asyncio.to_thread(current_plans, self._folder.path))
        await self._check_connections()

    async def _check_connections(self) -> None:
        for _ in self._server.check():
            await asyncio.sleep(0)

    async def _flush(self) -> None:
        """Send pending prices again and again."""
        while True:
            await self._server.wait_for_connections()
            await asyncio.sleep(_FLUSH_SECONDS_BEHIND if self._broadcaster.is_behind else _FLUSH_SECONDS)
            for _ in self._broadcaster.flush_all(time.monotonic()):
                await asyncio.sleep(0)

    async def _send_alerts(self) -> None:
        """Send what fires; while the database is away, it is sent later."""
        while True:
            await asyncio.sleep(_ALERT_SECONDS)
            await self._server.wait_for_connections()
            with contextlib.suppress(CambistError):
                await self._alerts.advance()

    async def _check(self) -> None:
        """Close the connections that may not continue, charge and ping the others."""
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            if self._failed:
                self._failed.clear()
                self._notify()
            self._meter.tick(self._principals.by_digest.plan_of, time.time())
            await self._check_connections()
            self._broadcaster.ping(time.monotonic())

    async def _report(self) -> None:
        """Write the report every few seconds; if it cannot be written, it grows old."""
        while True:
            with contextlib.suppress(OSError):
                write_json_file(self._folder.stream_report(self._number), self._current_report())
            await asyncio.sleep(REPORT_EVERY)

    def _current_report(self) -> StreamReport:
        broadcaster, server = self._broadcaster, self._server
        return StreamReport(
            written_at=utc_now(),
            listens=server.is_listening,
            connections=len(server.connections),
            subscribers=broadcaster.connection_count,
            pairs=broadcaster.pair_count,
            prices=broadcaster.prices_sent,
            lost=broadcaster.connections_lost,
        )

    def _published_at(self) -> float:
        """Return when the newest book was published, which may be before the service was started."""
        published = self._book_file.published_at()
        return time.time() if published is None else published


def _wait_for_changes(changes: ChangeNotifier, notify: Callable[[], object]) -> None:
    """Call `notify` at first and whenever a version has changed, until it fails because the event loop has ended."""
    waiter, seen = changes.waiter(), b""
    with contextlib.suppress(RuntimeError):
        while True:
            versions = changes.versions[: len(Topic)].tobytes()
            if versions != seen:
                seen = versions
                notify()
            waiter.wait(_WATCH_SECONDS)


def _raise_file_limit() -> None:
    """Allow as many open sockets as the machine does: clients that connect and send nothing hold one for a while."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(settings.tls_cert, settings.tls_key)
    return context
