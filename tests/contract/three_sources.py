"""A service whose archive has what three made sources publish of the naira in dollars: `boa`, `cbn` and `fmd`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.conftest import NOW, Client
from tests.reading import read_with

from cambist.api.state.archive_reader import ArchiveReader
from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.api.state.verdict_reader import VerdictReader
from cambist.history.bars import NO_BARS
from cambist.history.correction_feed import CorrectionFeed
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.source_rates import read_source_rates
from cambist.history.verdict_log import Decision
from cambist.ingest.snapshot_builder import judging_of, rate_book_of, rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.sources.adapters.ecb import adapter
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.sql import SqlStore

KEYS = ("boa", "cbn", "fmd")
SOURCES = [replace(adapter.source, key=key, anchor="USD", outranks_pegs=False) for key in KEYS]
LAST = date(2026, 11, 19)
"""The Thursday before the day of the tests."""


def weekdays(count: int, last: date = LAST) -> list[date]:
    """The last weekdays up to one, oldest first."""
    found = [last - timedelta(days=back) for back in range(2 * count) if (last - timedelta(days=back)).weekday() < 5]
    return sorted(found[:count])


def calm(number: int, last: date = LAST) -> dict[date, str]:
    """What a source publishes while nothing happens: each a little more than the one before."""
    return {day: f"{1400 + row % 3 + number / 4:g}" for row, day in enumerate(weekdays(40, last))}


def report(key: str) -> SourceReport:
    """Return the report on a source of daily rates in dollars."""
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "covers"), "")
    kind = {"anchor": "USD", "pace": "daily", "rate_type": "official"}
    return SourceReport(**facts, **kind, key=key, enabled=True)


class ThreeSources:
    """The archive of a service, which shows each delivery at once. `editions` are those after each delivery."""

    def __init__(self, client: Client, folder: Path, *, is_shown: bool = True) -> None:
        self.client = client
        self.store = SqlStore(f"sqlite:///{folder / 'three.db'}")
        self.store.migrate()
        self.editions: list[str] = []
        self.filed = 0
        pool = ReaderPool(4, within=60)
        feed = CorrectionFeed(self.store.archive, self.store.editions, self.store.verdicts, rules_of(SOURCES))
        reader = ArchiveReader(self.store.archive, NO_BARS, pool, lambda: NOW, feed)
        state = client.worker_state
        assert state is not None
        self.feed = feed
        read_with(
            state,
            feed=reader.feed,
            corrections=feed.about,
            known_history=KnownHistory(
                self.store.archive,
                self.store.editions,
                self.store.verdicts,
                pool,
                lambda: datetime.now(UTC),
                rules_of(SOURCES),
            ),
            verdicts=VerdictReader(self.store.archive, self.store.editions, self.store.verdicts, pool).verdict,
            known_fixings=lambda delivery, *asked: self.store.archive.published_fixings(*asked, up_to=delivery),
            fixings=self.store.archive.published_fixings,
            source_rates=lambda *asked: read_source_rates(self.store.archive.pair_series, *asked),
        )
        state.apply_source_reports(SourceReports(NOW, tuple(map(report, KEYS))))
        for number, key in enumerate(KEYS):
            self.file(key, calm(number))
            if is_shown:
                self.show()

    def deliver(self, source: str, values: Mapping[date, str], code: str = "NGN") -> None:
        """File a delivery of a source, judge it, and show what it changes."""
        self.file(source, values, code)
        self.show()

    def file(self, source: str, values: Mapping[date, str], code: str = "NGN") -> None:
        """File a delivery of a source."""
        moment = NOW - timedelta(hours=3) + timedelta(minutes=self.filed)
        fixings = [Fixing(source, Pair("USD", code), day, Decimal(value)) for day, value in values.items()]
        self.filed += 1
        self.store.archive.file(DeliveryRecord(source, moment, "a test", f"d{self.filed}"), fixings)

    def decide(self, level: str, first: date, *, accepts: bool) -> None:
        """Decide about the fixings near a level from a day on."""
        day, made_at = (first - date(1970, 1, 1)).days, datetime.now(UTC)
        self.store.verdicts.decide(Decision(0, "NGN", day, None, Decimal(level), accepts, "a test", made_at))
        self.show()

    def show(self) -> None:
        """Judge what is new, and answer from it."""
        state = self.client.worker_state
        assert state is not None
        built = rate_matrix_from_archive(self.store, SOURCES, NOW.date())
        state.apply_matrix(record_edition(self.store.editions, built, SOURCES))
        judging = judging_of(self.store, SOURCES)
        judging.update()
        book = rate_book_of(self.store.archive, judging, SOURCES, len(self.editions) + 2, NOW)
        state.apply_book(RateBook.of(book))
        state.tick()
        self.editions.append(state.matrix.edition)

    def get(self, target: str) -> Any:
        """Return the JSON of an answer."""
        reply = self.client.get(target)
        assert reply.status == 200, reply.text
        return reply.json

    def verdict(self, query: str = "to=NGN") -> Any:
        """Return the verdict that `/explain` shows."""
        (leg,) = self.get(f"/explain?{query}")["legs"]
        return leg["verdict"]

    def close(self) -> None:
        """Close the database."""
        self.store.close()
