"""Logs once that no source can be reached, once that this has ended, and meanwhile what has arrived since the start."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from cambist.pricing.quoted_book import QuotedBook
from cambist.reference.minor_units import CURRENCY_CODES
from cambist.status.network import no_network
from cambist.status.source_report import SourceReports

log = logging.getLogger(__name__)

_EVERY = timedelta(seconds=15)
_FRESH = timedelta(days=5)
"""As old as a daily fixing is after long holidays."""


class NetworkLog:
    """What was told last, so that nothing is told twice."""

    def __init__(self) -> None:
        self._is_offline = False
        self._heard = 0
        self._told_at: datetime | None = None

    def tell(self, reports: SourceReports, book: QuotedBook | None) -> None:
        """Log what has changed since the last call."""
        found = no_network(reports)
        if found is not None and not self._is_offline:
            log.warning("%s: %s", found.sentence, found.why)
        elif found is None and self._is_offline:
            log.info("Network: sources can be reached again")
        self._is_offline = found is not None
        self._tell_progress(reports, book)

    def _tell_progress(self, reports: SourceReports, book: QuotedBook | None) -> None:
        enabled = [report for report in reports.reports if report.enabled]
        heard, now = sum(report.last_success is not None for report in enabled), reports.written_at
        if heard <= self._heard or (self._told_at is not None and now - self._told_at < _EVERY):
            return
        self._heard, self._told_at = heard, now
        quotes = {code: quote for code, quote in (book.quotes if book else {}).items() if code in CURRENCY_CODES}
        fresh = sum(now - quote.as_of <= _FRESH for quote in quotes.values())
        log.info("Ingest: %d of %d sources heard, %d of %d currencies fresh", heard, len(enabled), fresh, len(quotes))
