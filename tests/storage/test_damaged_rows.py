"""Damaged rows in the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.postgresql import postgresql_url

from cambist.history.damaged_rows import DamageReport
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore
from cambist.storage.sql.checksum import is_intact, row_content, series_seed

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
MON, TUE, WED = date(2026, 3, 2), date(2026, 3, 3), date(2026, 3, 4)
USD, JPY = Pair("EUR", "USD"), Pair("EUR", "JPY")
TUESDAY = 20515


def fixing(value: str, day: date, pair: Pair = USD) -> Fixing:
    return Fixing("ecb", pair, day, Decimal(value))


STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'cambist.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    store = STORES[request.param](tmp_path)
    store.migrate()
    fixings = [fixing("1.1", MON), fixing("1.2", TUE), fixing("1.3", WED), fixing("160", WED, JPY)]
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "d"), fixings)
    yield store
    store.close()


def damage_database(store: SqlStore, tmp_path: Path, statement: str) -> None:
    if store._engine.dialect.name != "sqlite":
        if statement in ONLY_IN_SQLITE:
            pytest.skip("PostgreSQL checks the type of what is stored")
        with store._engine.begin() as changing:
            assert changing.exec_driver_sql(statement).rowcount == 1
        return
    with sqlite3.connect(tmp_path / "cambist.db") as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


def rates(store: SqlStore) -> tuple[dict[str, list[float]], DamageReport]:
    damage = DamageReport()
    return {str(pair): values for pair, _, values in store.archive.rates("ecb", damage)}, damage


HARMS = {
    "value": "UPDATE fixings SET value = '9.2' WHERE value = '1.2'",
    "value that is no number": "UPDATE fixings SET value = '1,2' WHERE value = '1.2'",
    "value that is no text": "UPDATE fixings SET value = CAST(x'ff2e32' AS TEXT) WHERE value = '1.2'",
    "value that is nothing": "UPDATE fixings SET value = '' WHERE value = '1.2'",
    "nominal": "UPDATE fixings SET nominal = 100 WHERE value = '1.2'",
    "nominal of zero": "UPDATE fixings SET nominal = 0 WHERE value = '1.2'",
    "day": "UPDATE fixings SET day = '2026-02-03' WHERE value = '1.2'",
    "day that is none": "UPDATE fixings SET day = '2026-0s-03' WHERE value = '1.2'",
    "day that is no text": "UPDATE fixings SET day = CAST(x'ff303236' AS TEXT) WHERE value = '1.2'",
    "pair": "UPDATE fixings SET series_id = 2 WHERE value = '1.2'",
    "time of publication": "UPDATE fixings SET published_at = '2026-03-03 12:00:00.000000' WHERE value = '1.2'",
    "checksum": "UPDATE fixings SET checksum = checksum + 1 WHERE value = '1.2'",
}

ONLY_IN_SQLITE = [HARMS[name] for name in ("value that is no text", "day that is none", "day that is no text")]


@pytest.mark.parametrize("statement", HARMS.values(), ids=HARMS)
def test_a_damaged_row_is_left_out_and_named(store: SqlStore, tmp_path: Path, statement: str) -> None:
    damage_database(store, tmp_path, statement)
    found, damage = rates(store)
    assert found == {"EUR/USD": [1.1, 1.3], "EUR/JPY": [160.0]}
    assert len(damage) == 1
    assert damage.rows[0].source == "ecb"
    assert damage.rows[0].delivery == "1"


@pytest.mark.long(every=3)
@pytest.mark.parametrize("statement", HARMS.values(), ids=HARMS)
def test_no_method_returns_a_damaged_row(store: SqlStore, tmp_path: Path, statement: str) -> None:
    damage_database(store, tmp_path, statement)
    archive = store.archive
    assert [str(one.value) for one in archive.fixings("ecb") if one.pair == USD] == ["1.1", "1.3"]
    ((_, series),) = archive.pair_series(lambda _, pair: pair == USD, MON, WED)
    assert (TUE - FIRST_DAY).days not in series.rows
    published = archive.published_fixings("ecb", "EUR", TUE)
    assert [str(each.fixing.value) for each in published if each.fixing.pair == USD] == ["1.1"]
    assert archive.revisions(USD, TUE) == []
    assert archive.fixings_on("ecb", TUE) == []
    assert {str(received.fixing.value) for received in archive.published_fixings("ecb", "EUR", date(2026, 12, 31))} == {
        "1.3",
        "160",
    }
    coverage = archive.coverage("ecb")
    assert coverage is None or coverage.pairs == 2


def test_if_the_newest_day_is_damaged_the_day_before_is_the_latest(store: SqlStore, tmp_path: Path) -> None:
    damage_database(store, tmp_path, "UPDATE fixings SET day = '9026-03-04' WHERE value = '1.3'")
    assert {
        str(received.fixing.value) for received in store.archive.published_fixings("ecb", "EUR", date(2026, 12, 31))
    } == {"1.2", "160"}


def test_the_value_before_a_damaged_correction_is_not_used(store: SqlStore, tmp_path: Path) -> None:
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [fixing("1.25", TUE)])
    damage_database(store, tmp_path, "UPDATE fixings SET value = '1.26' WHERE value = '1.25'")
    found, damage = rates(store)
    assert found["EUR/USD"] == [1.1, 1.3]
    assert str(damage.rows[0]) == "ecb EUR/USD 2026-03-03 (delivery 2)"
    assert [str(one.value) for one in store.archive.fixings("ecb") if one.pair == USD] == ["1.1", "1.3"]


def test_a_damaged_row_that_was_corrected_later_has_no_effect(store: SqlStore, tmp_path: Path) -> None:
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [fixing("1.25", TUE)])
    damage_database(store, tmp_path, "UPDATE fixings SET value = '9.2' WHERE value = '1.2'")
    found, damage = rates(store)
    assert found["EUR/USD"] == [1.1, 1.25, 1.3]
    assert len(damage) == 1


def test_a_damaged_fixing_is_filed_again_with_the_next_delivery(store: SqlStore, tmp_path: Path) -> None:
    damage_database(store, tmp_path, "UPDATE fixings SET value = '9.2' WHERE value = '1.2'")
    filed = store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [fixing("1.1", MON), fixing("1.2", TUE)])
    assert (filed.added, filed.unchanged) == (1, 1)
    assert rates(store)[0]["EUR/USD"] == [1.1, 1.2, 1.3]


def test_the_rows_of_a_changed_series_are_damaged(store: SqlStore, tmp_path: Path) -> None:
    damage_database(store, tmp_path, "UPDATE series SET quote = 'JPZ' WHERE quote = 'JPY'")
    found, damage = rates(store)
    assert found == {"EUR/USD": [1.1, 1.2, 1.3], "EUR/JPZ": []}
    assert [str(row) for row in damage.rows] == ["ecb EUR/JPZ 2026-03-04 (delivery 1)"]


def test_missing_rows_are_counted(store: SqlStore, tmp_path: Path) -> None:
    damage_database(store, tmp_path, "DELETE FROM fixings WHERE value = '1.2'")
    assert rates(store)[1].missing == 1


def test_an_undamaged_archive_has_no_damage(store: SqlStore) -> None:
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [fixing("1.25", TUE)])
    assert len(rates(store)[1]) == 0
    assert store.archive.sources() == ["ecb"]


def test_the_time_of_publication_is_stored(store: SqlStore) -> None:
    content = datetime(2026, 3, 5, 15, 2, 3, 4, tzinfo=UTC)
    one = Fixing("ecb", USD, date(2026, 3, 5), Decimal("1.4"), published_at=content)
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [one])
    assert store.archive.revisions(USD, one.day)[0].fixing == one
    assert [each.published_at for each in store.archive.fixings("ecb")][-1] == content
    assert len(rates(store)[1]) == 0


@given(st.integers(0, 400), st.integers(0, 7))
@settings(max_examples=200)
def test_a_single_flipped_bit_is_detected(place: int, bit: int) -> None:
    content = bytearray(row_content("2026-03-03", 7, 100, "1.0876", None))
    seed = series_seed("ecb", "EUR", "USD", "")
    checksum = crc32(content, seed)
    assert is_intact(bytes(content), checksum, seed)
    content[place % len(content)] ^= 1 << bit
    assert not is_intact(bytes(content), checksum, seed)
