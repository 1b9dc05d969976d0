"""A series as of a mark is read from the current rate matrix where nothing was received since, and is the same."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from tests.postgresql import postgresql_url

from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.known_state import Scope, Window, windows_to_rebuild
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.sources.adapters.cbr import adapter as cbr
from cambist.sources.adapters.ecb import adapter as ecb
from cambist.storage.sql import SqlStore
from cambist.storage.sql.read_only import SqlReadOnlyStore

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SOURCES = [ecb.source, cbr.source]
PAIRS = {"ecb": [("EUR", "USD"), ("EUR", "GBP")], "cbr": [("USD", "RUB"), ("GBP", "RUB"), ("KZT", "RUB")]}
ASKED = (Pair("USD", "GBP"), Pair("KZT", "EUR"))
LONGER = int(os.environ.get("LONGER", "1"))
ROUNDS = 4 * LONGER
"""Deliveries after which the history is rebuilt; `make long-rounds` makes more, over more years."""

FIRST, LAST = date(1999 if LONGER > 1 else 2016, 1, 4), date(2026, 11, 13)
URLS = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'known.db'}",
    "postgresql": postgresql_url,
}


@dataclass
class Service:
    """An archive with editions, and what rebuilds them; `readings` are the periods that were read whole."""

    store: SqlStore
    reading: SqlReadOnlyStore
    random: random.Random
    readings: list[tuple[date, date]] = field(default_factory=list)
    deliveries: int = 0

    def deliver(self, source: str, days: list[date]) -> None:
        self.deliveries += 1
        made = [
            Fixing(source, Pair(*pair), day, Decimal(self.random.randint(5000, 15000)) / 10_000)
            for pair in PAIRS[source]
            for day in days
        ]
        delivery = DeliveryRecord(source, NOW + timedelta(seconds=self.deliveries), "a test", str(self.deliveries))
        self.store.archive.file(delivery, made)

    def build(self, sources: Any = SOURCES) -> RateMatrix:
        built = rate_matrix_from_archive(self.store, sources, NOW.date())
        return record_edition(self.store.editions, built, sources)

    def history(self) -> KnownHistory:
        """Return what rebuilds, with nothing kept."""
        pool = ReaderPool(4, readers=1, within=60)
        reading = self.reading
        return KnownHistory(reading.archive, reading.editions, reading.verdicts, pool, lambda: NOW, rules_of(SOURCES))

    def series(self, edition: str, current: RateMatrix, scope: Scope | None = None) -> RateMatrix:
        self.readings.clear()
        history = self.history()
        return history.matrix(history.mark(edition, None), scope or Scope(FIRST, LAST, ASKED, is_series=True), current)


@pytest.fixture(params=URLS)
def service(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    store = SqlStore(URLS[request.param](tmp_path))
    store.migrate()
    reading = store.read_only(2, 60)
    made = Service(store, reading, random.Random(5))  # noqa: S311  not for secrets
    read = reading.archive.known_fixings

    def note(sources: Any, wanted: Any, days: tuple[date, date]) -> Any:
        made.readings.append(days)
        return read(sources, wanted, days)

    monkeypatch.setattr(reading.archive, "known_fixings", note)
    workdays = [FIRST + timedelta(days=step) for step in range(0, (LAST - FIRST).days + 1, 3)]
    made.deliver("ecb", workdays)
    made.deliver("cbr", workdays[::2])
    yield made
    reading.close()
    store.close()


def told(matrix: RateMatrix) -> list[tuple[float | None, int, int]]:
    """Return the cells of the pairs, without NaN because that equals nothing, with their sources and ages."""
    days = [matrix.first_day + timedelta(days=row) for row in range(len(matrix.listed_set_of_day))]
    codes = ("USD", "GBP", "KZT", "EUR")
    found = []
    for day in days:
        for code, from_where in zip(codes, matrix.sources_and_ages(day, codes), strict=True):
            cell = matrix.cell(day, code)
            found.append((None, 0, 0) if isnan(cell) else (cell, *from_where))
    return found


@pytest.mark.long(every=2)
def test_nothing_is_read_where_nothing_was_received_since(service: Service) -> None:
    edition = service.build().edition
    service.deliver("cbr", [LAST + timedelta(days=1)])
    current = service.build()
    found = service.series(edition, current)
    assert service.readings == []
    assert found.edition == edition != current.edition
    assert told(found) == told(service.series(edition, replace(current, edition="")))
    assert service.readings


@pytest.mark.long(every=2)
def test_only_the_days_around_a_correction_are_read(service: Service) -> None:
    edition = service.build().edition
    corrected = date(2020, 3, 5)
    service.deliver("ecb", [corrected])
    current = service.build()
    found = service.series(edition, current)
    assert {days for days in service.readings if days[0] < date(2020, 1, 1) or days[1] > date(2020, 5, 1)} == set()
    assert service.readings
    assert told(found) == told(service.series(edition, replace(current, edition="")))
    assert told(found) != told(service.series(current.edition, replace(current, edition="")))


@pytest.mark.long
def test_whatever_was_received_since_a_series_is_that_of_its_edition(service: Service) -> None:
    pick, editions = service.random, []
    for _ in range(ROUNDS):
        editions.append(service.build().edition)
        start = FIRST + timedelta(days=pick.randrange((LAST - FIRST).days))
        service.deliver(pick.choice(list(PAIRS)), [start + timedelta(days=step) for step in range(pick.randint(1, 60))])
    current = service.build()
    for edition in editions:
        start = FIRST + timedelta(days=pick.randrange((LAST - FIRST).days))
        scope = Scope(start, start + timedelta(days=pick.randrange(1000)), ASKED, is_series=True)
        rebuilt = service.series(edition, replace(current, edition=""), scope)
        assert told(service.series(edition, current, scope)) == told(rebuilt)


@pytest.mark.long(every=2)
def test_an_edition_with_other_sources_is_rebuilt_as_a_whole(service: Service) -> None:
    edition = service.build([ecb.source]).edition
    current = service.build()
    assert told(service.series(edition, current)) == told(service.series(edition, replace(current, edition="")))
    service.series(edition, current)
    assert service.readings


@pytest.mark.long(every=2)
def test_a_worker_whose_matrix_is_older_than_the_edition_does_not_use_what_it_lacks(service: Service) -> None:
    older = service.build()
    service.deliver("ecb", [date(2021, 6, 1)])
    newer = service.build()
    assert told(service.series(newer.edition, older)) == told(service.series(newer.edition, newer))


def test_windows_to_rebuild_reach_two_weeks_ahead_and_are_joined() -> None:
    def day(row: int) -> date:
        return FIRST_DAY + timedelta(days=row)

    window = Window(100, 200)
    assert windows_to_rebuild([], window) == []
    assert windows_to_rebuild([day(95)], window) == [Window(100, 10)]
    assert windows_to_rebuild([day(85)], window) == []
    assert windows_to_rebuild([day(150), day(160), day(200)], window) == [Window(150, 25), Window(200, 15)]
    assert windows_to_rebuild([day(299)], window) == [Window(299, 1)]
