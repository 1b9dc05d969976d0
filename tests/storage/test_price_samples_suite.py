"""Tests for every `PriceSampleStore`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.postgresql import postgresql_url

from cambist.errors import StoreBroken
from cambist.history.price_samples import PriceSample
from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import price_samples

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'archive.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}
NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
STEP = timedelta(minutes=5)
LONG_AGO = NOON - timedelta(days=8)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    store = STORES[request.param](tmp_path)
    store.migrate()
    yield store
    store.close()


def sample(steps: int, **mids: float) -> PriceSample:
    return PriceSample(NOON + STEP * steps, mids)


def test_samples_are_read_as_they_were_filed_and_in_their_order(store: SqlStore) -> None:
    samples = [sample(0, EUR=1.1600000000000001, BTC=90005.0), sample(1, EUR=1.5e-09), sample(2)]
    for each in (samples[1], samples[0], samples[2]):
        store.price_samples.file(each, LONG_AGO)
    assert list(store.price_samples.after(LONG_AGO, 9)) == samples
    assert list(store.price_samples.after(NOON, 9)) == samples[1:]
    assert list(store.price_samples.after(LONG_AGO, 2)) == samples[:2]
    with closing(store.read_only(1, 5)) as reading:
        assert list(reading.price_samples.after(NOON + STEP, 9)) == samples[2:]
    assert list(store.price_samples.after(NOON + 2 * STEP, 9)) == []


def test_the_first_sample_of_a_moment_stays_and_old_ones_are_removed(store: SqlStore) -> None:
    for number in range(4):
        store.price_samples.file(sample(number, EUR=float(number)), LONG_AGO)
    store.price_samples.file(sample(3, EUR=9.0), NOON + 2 * STEP)
    assert list(store.price_samples.after(LONG_AGO, 9)) == [sample(2, EUR=2.0), sample(3, EUR=3.0)]


@pytest.mark.parametrize("content", [b"", b"x", zlib.compress(b"[1]"), bytes(20)])
def test_a_damaged_sample_is_reported(content: bytes, store: SqlStore) -> None:
    store.price_samples.file(sample(0, EUR=1.0), LONG_AGO)
    with store._engine.begin() as connection:
        connection.execute(update(price_samples).values(mids=content))
    with pytest.raises(StoreBroken, match="sample"):
        store.price_samples.after(LONG_AGO, 9)
