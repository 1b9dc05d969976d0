"""Tests for every `Editions`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.postgresql import postgresql_url

from cambist.history.edition import RecordedEdition
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import history_texts
from cambist.sources.adapters.ecb import adapter
from cambist.sources.adapters.nbp import adapter as nbp
from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import editions

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'editions.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}
SOURCES = [adapter.source]
TODAY = date(2026, 3, 6)
NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
USD = Pair("EUR", "USD")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    store = STORES[str(request.param)](tmp_path)
    store.migrate()
    file(store, "1.1")
    yield store
    store.close()


def file(store: SqlStore, value: str, day: date = TODAY) -> None:
    delivery = DeliveryRecord("ecb", NOON, f"a test of {day}", value)
    store.archive.file(delivery, [Fixing("ecb", USD, day, Decimal(value))])


def built(store: SqlStore) -> RateMatrix:
    return record_edition(store.editions, rate_matrix_from_archive(store, SOURCES, TODAY), SOURCES)


def recorded(store: SqlStore) -> RecordedEdition:
    matrix = built(store)
    newest = store.editions.newest()
    assert newest is not None
    assert newest.name == matrix.edition
    return newest


def test_an_edition_is_found_by_its_name_with_all_that_it_says(store: SqlStore) -> None:
    matrix, found = built(store), recorded(store)
    assert store.editions.find(matrix.edition) == found
    assert (found.delivery, found.digest, found.last_rows) == (1, matrix.digest, ((TODAY - date(1970, 1, 1)).days,))
    assert found.rules == rules_of(SOURCES).version
    assert abs(found.recorded_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_recording_the_newest_edition_again_changes_nothing(store: SqlStore) -> None:
    assert recorded(store) == recorded(store)
    assert len(store.editions.after(0, 10)) == 1


def test_each_correction_is_a_new_edition(store: SqlStore) -> None:
    first = recorded(store)
    file(store, "1.2")
    second = recorded(store)
    assert [each.name for each in store.editions.after(0, 10)] == [first.name, second.name]
    assert store.editions.after(first.number, 10) == [second]
    assert store.editions.after(0, 1) == [first]
    assert second.delivery == 2
    assert store.editions.first_showing(2) == second
    assert store.editions.first_showing(3) is None


def test_the_edition_of_a_moment_is_the_newest_before_it(store: SqlStore) -> None:
    first = recorded(store)
    file(store, "1.2")
    second = recorded(store)
    assert store.editions.known_at(first.recorded_at - timedelta(microseconds=1)) is None
    assert store.editions.known_at(first.recorded_at) == first
    assert store.editions.known_at(second.recorded_at - timedelta(microseconds=1)) == first
    assert store.editions.known_at(second.recorded_at + timedelta(days=1)) == second


def test_rules_that_come_back_are_the_newest_edition_again(store: SqlStore) -> None:
    first = recorded(store)
    both = [adapter.source, nbp.source]
    record_edition(store.editions, rate_matrix_from_archive(store, both, TODAY), both)
    again = recorded(store)
    assert again.name == first.name
    assert again.number > first.number
    assert store.editions.find(first.name) == first
    assert store.editions.known_at(again.recorded_at) == again


def test_a_clock_that_was_set_back_does_not_change_the_order(store: SqlStore) -> None:
    first = recorded(store)
    ahead = datetime.now(UTC) + timedelta(days=1)
    with store._engine.begin() as connection:
        connection.execute(update(editions).values(recorded_at=ahead.replace(tzinfo=None)))
    file(store, "1.2")
    second = recorded(store)
    assert second.recorded_at > ahead
    assert second.number > first.number


def test_rules_and_tables_can_be_read_back(store: SqlStore) -> None:
    found = recorded(store)
    rules = store.editions.rules(found.rules)
    assert rules == rules_of(SOURCES)
    assert rules is not None
    for name, digest in rules.tables.items():
        assert store.editions.table(digest) == history_texts()[name]
    assert store.editions.rules("0" * 12) is None
    assert store.editions.table("0" * 64) is None


def test_answers_are_read_over_connections_that_cannot_write(store: SqlStore) -> None:
    found = recorded(store)
    reading = store.read_only(1, 5)
    assert reading.editions.newest() == found
    reading.close()


def test_an_unknown_edition_is_not_found(store: SqlStore) -> None:
    assert store.editions.find("1-000000000000-0000000000000000") is None
    assert store.editions.newest() is None


def test_the_edition_is_the_same_in_every_database(tmp_path: Path) -> None:
    names = set()
    for key, make in STORES.items():
        (tmp_path / key).mkdir()
        store = make(tmp_path / key)
        store.migrate()
        file(store, "1.1")
        names.add(built(store).edition)
        store.close()
    assert len(names) == 1


def test_a_delivery_that_is_filed_during_the_build_belongs_to_the_next_edition(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = built(store)
    rates = store.archive.rates

    def rates_after_a_filing(*args: object) -> object:
        file(store, "9.9")
        return rates(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(store.archive, "rates", rates_after_a_filing)
    assert built(store).edition == before.edition
    monkeypatch.undo()
    assert built(store).edition != before.edition
