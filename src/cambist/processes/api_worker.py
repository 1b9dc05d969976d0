"""An API worker: a process that answers HTTP requests."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from time import sleep

from cambist.accounts.principal import Principals
from cambist.api.answer import series_rendering
from cambist.api.application import ApiOptions, build_application
from cambist.api.docs.web_page import PageOptions
from cambist.api.state.alert_book import AlertBook
from cambist.api.state.archive_reader import ArchiveReader
from cambist.api.state.reader_pool import READ_SECONDS, READERS, ReaderPool
from cambist.api.state.readers import Readers
from cambist.api.state.state_reloader import StateReloader
from cambist.api.state.verdict_reader import VerdictReader
from cambist.api.worker_application import WorkerApplication
from cambist.clock import utc_now
from cambist.errors import RateBookDamaged, RateMatrixDamaged
from cambist.history.coverage import coverage_of_matrix
from cambist.history.rate_matrix import RateMatrix
from cambist.http.certificate import server_context
from cambist.http.connection_limit import ConnectionLimit, raise_file_limit
from cambist.http.listening_socket import bind_socket
from cambist.http.refusals import Refusals
from cambist.http.server import HttpServer
from cambist.monitoring.otlp.exporter import traced
from cambist.monitoring.request_metrics import open_request_counts
from cambist.pricing.rate_book import RateBook
from cambist.processes.child_process import announce_answering
from cambist.processes.heartbeat import beat
from cambist.processes.process import end_with, set_up_process, tune_gc
from cambist.registry.accounts.keyless_accounts import KeyReader
from cambist.registry.accounts.metering import open_meter
from cambist.registry.accounts.plans import current_plans
from cambist.registry.archiving.known_history import open_correction_feed, open_known_history
from cambist.registry.node.nodes import node_name
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import (
    bar_reader,
    dialects,
    endpoints,
    environment_of,
    move_reader,
    open_store,
    posted_endpoints,
)
from cambist.registry.wiring.worker_state import build_worker_state
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment, check_rate_book, check_rate_matrix
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.key_folder import KeyFolder
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

log = logging.getLogger(__name__)

_MATRIX_WAIT_SECONDS = 0.2
_SWITCH_SECONDS = 0.0005
"""How long a thread that computes may keep the event loop waiting; by default it would be ten times as long."""

_COMPUTE_SECONDS = 10.0


class ApiWorker:
    """The parts of an API worker: its state, the meter of calls, the state reloader and the application."""

    def __init__(self, settings: Settings) -> None:
        self._folder = DataDirectory(settings.data)
        self._environment = environment_of(settings)
        self._book_file = RateBookFile(self._folder.path)
        self._store = open_store(settings)
        self._store.hold_open()
        seen = {topic: self._book_file.changes.version(topic) for topic in Topic}
        self._keys = KeyReader(settings, self._store.accounts)
        book, matrix = self._book(), self._first_matrix()
        principals = Principals(self._keys.read_all(), current_plans(self._folder.path))
        self._reading = self._store.read_only(READERS, READ_SECONDS)
        self._pool = self._open_pool(settings)
        bars = bar_reader(settings, self._reading, utc_now)
        feed = open_correction_feed(settings, self._reading)
        self._archive_reader = ArchiveReader(self._reading.archive, bars, self._pool, utc_now, feed)
        self._node = node_name(settings)
        self._alert_book = self._open_alert_book(settings)
        self._worker_state = build_worker_state(settings, book, matrix, principals, self._readers(settings))
        self._worker_state.apply_source_reports(self._source_reports())
        self._meter = open_meter(settings, self._store, self._others_usage)
        if self._keys.are_copied:
            seen[Topic.ACCOUNTS] ^= 1  # they are read when the database can be reached
        self._seen = seen

    def _readers(self, settings: Settings) -> Readers:
        """Return what the worker reads: in a sandbox, where nothing is archived, what can be computed."""
        reader, folder = self._archive_reader, self._folder
        readers = Readers(
            votes=self._book_file.votes,
            bars=reader,
            moves=move_reader(settings, self._reading, self._pool, utc_now),
            closes=reader.close,
            coin_series=reader.coin_series,
            coverage=lambda: coverage_of_matrix(self._worker_state.matrix, SIMULATED),
            receipts=NodeSigner(
                KeyFolder(folder.keys), self._store.public_keys, self._node, settings.issuer, self._pool.call
            ),
            alerts=self._alert_book,
            log_folder=folder.log,
        )
        return readers if self._environment is Environment.SANDBOX else self._with_archive(readers, settings)

    def _with_archive(self, readers: Readers, settings: Settings) -> Readers:
        """Return readers that answer from the archive what is not in the rate matrix, and what was known earlier."""
        reader, reading = self._archive_reader, self._reading
        return replace(
            readers,
            known_closes=reader.known_close,
            fixings=reader.published_fixings,
            known_fixings=reader.known_fixings,
            source_rates=reader.source_rates,
            coverage=reader.coverage,
            corrections=reader.corrections,
            feed=reader.feed,
            vintages=reader.vintages,
            verdicts=VerdictReader(reading.archive, reading.editions, reading.verdicts, self._pool).verdict,
            known_history=open_known_history(settings, reading),
        )

    def reloader(self) -> StateReloader[Topic]:
        """Return the thread that applies new rate books, rate matrices, accounts, source reports and plans."""
        worker_state, folder = self._worker_state, self._folder
        take = {
            Topic.BOOK: lambda: worker_state.apply_book(self._book()),
            Topic.MATRIX: self._apply_matrix,
            Topic.ACCOUNTS: self._apply_accounts,
            Topic.SOURCES: lambda: worker_state.apply_source_reports(self._source_reports()),
            Topic.PLANS: lambda: worker_state.apply_plans(current_plans(folder.path)),
            Topic.ARCHIVE: self._archive_reader.forget_closes,
            Topic.BARS: worker_state.apply_bars,
        }
        changes = self._book_file.changes
        return StateReloader(changes.version, self._seen, take, self._tick, changes.waiter().wait)

    def _apply_accounts(self) -> None:
        changes = self._keys.read_changes()
        self._worker_state.apply_key_changes(changes)
        self._keys.mark_applied(changes)

    def application(self, settings: Settings) -> WorkerApplication:
        """Return the application, which is also a WSGI application."""
        series_rendering.prepare()
        environment = "" if self._environment is Environment.LIVE else self._environment
        options = ApiOptions(
            path_prefix=settings.path_prefix,
            cors_origin=settings.cors_origin,
            closed_max_age=settings.closed_max_age,
            proxies=settings.proxy_networks,
            environment=environment,
            page=_page_options(settings, environment),
            dialects=dialects(settings),
            posted=tuple(posted_endpoints()),
            counts=open_request_counts(settings),
        )
        return build_application(endpoints(), self._worker_state, self._meter, options)

    def never_wait_in_this_thread(self) -> None:
        """Leave to other threads what has to wait for the database, or for a part of a quota."""
        self._archive_reader.spare_this_thread()
        self._alert_book.pool.spare_this_thread()
        known_history = self._worker_state.readers.known_history
        if known_history is not None:
            known_history.spare_this_thread()
        self._meter.spare_this_thread()

    def _book(self) -> RateBook:
        current = self._book_file.current()
        if current is None:
            raise RateBookDamaged(f"No book has been published in {self._folder.path}")
        return check_rate_book(current, self._environment)

    def _first_matrix(self) -> RateMatrix:
        """Return the rate matrix; if it is missing or damaged, wait until it has been rebuilt."""
        is_logged = False
        while True:
            try:
                return self._matrix()
            except RateMatrixDamaged as damage:
                if not is_logged:
                    log.error("%s: this worker waits until it is rebuilt", damage)  # noqa: TRY400
                is_logged = True
            sleep(_MATRIX_WAIT_SECONDS)

    def _matrix(self) -> RateMatrix:
        return check_rate_matrix(open_rate_matrix(self._folder.matrix), self._environment)

    def _apply_matrix(self) -> None:
        self._worker_state.apply_matrix(self._matrix())
        self._archive_reader.forget_coverage()  # a new matrix follows every delivery with new fixings

    def _source_reports(self) -> SourceReports | None:
        source_reports = read_json_file(self._folder.source_reports, SourceReports)
        return source_reports if source_reports and source_reports.environment == self._environment else None

    def _open_pool(self, settings: Settings) -> ReaderPool:
        """Return the threads that read the database; one thread at least never waits for it, unless there is one."""
        # A sandbox computes its bars: a machine that is busy with other work is no reason to refuse them.
        within = _COMPUTE_SECONDS if settings.sandbox else READ_SECONDS
        return ReaderPool(max(settings.threads - 1, 1), within=within)

    def _open_alert_book(self, settings: Settings) -> AlertBook:
        """Return the alerts of accounts, with a thread of its own: changes wait longer for the database than reads."""
        environment = "" if self._environment is Environment.LIVE else self._environment
        pool = ReaderPool(max(settings.threads - 1, 1), readers=1, within=_COMPUTE_SECONDS)
        has_mail = settings.mail_server is not None
        return AlertBook(self._store.alerts, pool, environment, has_mail, settings.alert_private)

    def _others_usage(self, account: int, since: date) -> Mapping[date, int]:
        return self._pool.call(self._reading.usage.of_others, account, since, self._node)

    def _tick(self) -> None:
        now = self._worker_state.clock()
        self._worker_state.tick()
        self._meter.tick(self._worker_state.principals.by_digest.plan_of, now)


def _page_options(settings: Settings, environment: str) -> PageOptions:
    return PageOptions(
        mode=settings.page,
        environment=environment,
        stream_url=settings.stream_url,
        stream_port=settings.stream_port,
        is_secure=settings.tls_cert is not None,
        path_prefix=settings.path_prefix,
    )


def load_worker(settings: Settings, supervisor: int, *, may_wait: bool = True) -> WorkerApplication:
    """Return the application of one worker, which keeps its state up to date and ends with its supervisor.

    Unless it `may_wait`, this thread leaves to others what has to wait for the database.
    """
    end_with(supervisor)
    worker = ApiWorker(settings)
    worker.reloader().start()
    application = worker.application(settings)
    if not may_wait:
        worker.never_wait_in_this_thread()
    tune_gc()
    return application


def serve_requests(settings: Settings, supervisor: int, *, address: str) -> None:
    """Run one worker: answer requests on an address until SIGTERM. The exit code is 1 if answers were cut off."""
    set_up_process(settings)
    application = load_worker(settings, supervisor, may_wait=False)
    most = raise_file_limit()
    bound = bind_socket(address, settings.port)
    ConnectionLimit(settings.port, most, settings.connections_per_address, settings.proxy_networks).start()
    certificate = server_context(settings.tls_cert, settings.tls_key)
    server = HttpServer(
        traced(application, settings),
        bound,
        settings.threads,
        certificate,
        logs_access=settings.logs_access,
        turns=application.turns,
    )
    server.refusals = Refusals(settings.proxy_networks)
    sys.setswitchinterval(_SWITCH_SECONDS)
    is_finished = server.run(announce_answering, beat)
    logging.shutdown()
    # Threads that still answer must not hold up the end, and the counters are in mapped files.
    os._exit(0 if is_finished else 1)
