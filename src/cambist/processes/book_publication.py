"""Publishing rate books, the votes behind them, and the reports on sources, in the ingest process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from cambist.clock import utc_now
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.monitoring.outages import Outages
from cambist.pricing.quoted_book import QuotedBook
from cambist.processes.network_log import NetworkLog
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile

_PUBLISH_SECONDS = 0.1
_POLL_SECONDS = 0.02
_REPORT_SECONDS = 1.0

ONE_MACHINE = 0
"""The epoch of a service that needs no leader."""


class BookPublication:
    """Builds rate books and publishes them in a file, with reports on the sources beside them.

    `epoch` returns the epoch in which this process may publish now; None if it may not: then books are built all the
    same, so that this process can go on where another has ended.
    """

    def __init__(
        self,
        pipeline: PricePipeline,
        statuses: SourceStatuses,
        book_file: RateBookFile,
        source_reports: Path,
        outages: Outages,
        epoch: Callable[[], int | None] = lambda: ONE_MACHINE,
    ) -> None:
        self._pipeline = pipeline
        self._rate_books = pipeline.rate_books
        self._statuses = statuses
        self._book_file = book_file
        self._source_reports = source_reports
        self._outages = outages
        self._epoch = epoch
        self._book_at: datetime | None = None
        self._network_log = NetworkLog()

    async def publish(self) -> None:
        """Publish a rate book when something has changed, at most ten times a second."""
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            book = self.build_book()
            if book is None:
                await asyncio.sleep(_POLL_SECONDS)
                continue
            epoch = self._epoch()
            if epoch is not None and self.write("book", partial(self._book_file.publish, book, epoch)):
                self._book_at = utc_now()
            while (left := started + _PUBLISH_SECONDS - loop.time()) > 0:
                await asyncio.sleep(min(left, _POLL_SECONDS))
                if left > _POLL_SECONDS:
                    self._prepare()

    def _prepare(self) -> None:
        with suppress(Exception):  # building the next book meets the same error, and logs it
            self._rate_books.prepare(utc_now())

    def build_book(self) -> QuotedBook | None:
        """Return the next rate book if anything has changed. After an unexpected error the last one stays, and ages."""
        try:
            now = utc_now()
            self._pipeline.release_singles(now)
            book = self._rate_books.build(now)
        except Exception as error:  # noqa: BLE001  logged once, with its trace
            self._outages.begin("book", "built", error, with_trace=True)
            return None
        self._outages.end("book", "built")
        return book

    async def write_reports(self) -> None:
        """Write the reports on all sources every second."""
        while True:
            if self._epoch() is not None:
                self._write_reports()
            await asyncio.sleep(_REPORT_SECONDS)

    def _write_reports(self) -> None:
        source_reports = self._statuses.report(
            utc_now(), self._pipeline.accepted, self._pipeline.refused, self._rate_books.version, self._book_at
        )
        self._network_log.tell(source_reports, self._rate_books.last)
        if self.write("file of source reports", partial(write_json_file, self._source_reports, source_reports)):
            self._book_file.changes.notify(Topic.SOURCES)
        self.write("file of votes", self._book_file.flush_votes)

    def write(self, name: str, write: Callable[[], None]) -> bool:
        """Write a file, and return whether that succeeded. If the disk is full, the last file stays."""
        try:
            write()
        except OSError as error:
            self._outages.begin(name, "written", error.strerror)
            return False
        self._outages.end(name, "written")
        return True
