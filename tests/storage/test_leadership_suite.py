"""Tests for the term of the leader. A new store is added in STORES."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.pgbouncer import pooled_url
from tests.postgresql import postgresql_url

from cambist.status.leadership import Leadership
from cambist.storage import Store
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'archive.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
    "pgbouncer": lambda folder: SqlStore(pooled_url(folder)),
}
LONG, SHORT = 60.0, 0.3


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = STORES[request.param](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def leadership(store: Store) -> Leadership:
    return store.leadership


def taken_in_the_end(leadership: Leadership, node: str, holder: str, seconds: float = LONG) -> int:
    """Try to take the term until that succeeds."""
    until = time.monotonic() + PATIENCE
    while (epoch := leadership.take(node, holder, seconds)) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    return epoch


def test_at_first_nobody_leads(leadership: Leadership) -> None:
    assert leadership.current() is None
    assert not leadership.renew(1, "a", LONG)
    leadership.release(1, "a")
    assert leadership.current() is None


def test_the_first_to_ask_leads_and_others_do_not(leadership: Leadership) -> None:
    epoch = leadership.take("berlin", "a", LONG)
    assert epoch is not None
    assert leadership.take("paris", "b", LONG) is None
    state = leadership.current()
    assert state is not None
    assert (state.epoch, state.node, state.holder, state.has_expired) == (epoch, "berlin", "a", False)
    assert state.expires_at - state.taken_at == timedelta(seconds=LONG)
    assert abs(state.taken_at - datetime.now(UTC)) < timedelta(minutes=5)


def test_a_holder_that_takes_the_term_again_keeps_its_epoch(leadership: Leadership) -> None:
    first = leadership.take("berlin", "a", LONG)
    before = leadership.current()
    assert leadership.take("berlin", "a", 2 * LONG) == first
    after = leadership.current()
    assert before is not None
    assert after is not None
    assert after.expires_at > before.expires_at
    assert after.taken_at == before.taken_at


def test_an_expired_term_is_taken_over_with_a_higher_epoch(leadership: Leadership) -> None:
    first = leadership.take("berlin", "a", SHORT)
    assert first is not None
    second = taken_in_the_end(leadership, "paris", "b")
    assert second > first
    assert not leadership.renew(first, "a", LONG)
    assert leadership.take("berlin", "a", LONG) is None
    leadership.release(first, "a")
    state = leadership.current()
    assert state is not None
    assert (state.epoch, state.node, state.holder, state.has_expired) == (second, "paris", "b", False)


def test_another_run_on_the_same_node_waits_for_its_predecessor(leadership: Leadership) -> None:
    first = leadership.take("berlin", "a", SHORT)
    assert first is not None
    assert taken_in_the_end(leadership, "berlin", "a2") > first


@pytest.mark.long(every=2)
def test_a_term_that_is_renewed_does_not_expire(leadership: Leadership) -> None:
    epoch = leadership.take("berlin", "a", SHORT)
    assert epoch is not None
    assert leadership.renew(epoch, "a", LONG)
    time.sleep(2 * SHORT)
    assert leadership.take("paris", "b", LONG) is None
    assert not leadership.renew(epoch, "b", LONG)
    assert not leadership.renew(epoch + 1, "a", LONG)


def test_an_expired_term_that_nobody_has_taken_is_renewed(leadership: Leadership) -> None:
    epoch = leadership.take("berlin", "a", 0)
    state = leadership.current()
    assert epoch is not None
    assert state is not None
    assert state.has_expired
    assert leadership.renew(epoch, "a", LONG)
    assert leadership.take("paris", "b", LONG) is None


def test_a_released_term_is_free_at_once(leadership: Leadership) -> None:
    first = leadership.take("berlin", "a", LONG)
    assert first is not None
    leadership.release(first, "b")
    assert leadership.take("paris", "b", LONG) is None
    leadership.release(first, "a")
    second = leadership.take("paris", "b", LONG)
    assert second is not None
    assert second > first


def test_epochs_grow_also_within_a_second(leadership: Leadership) -> None:
    epochs = []
    for number in range(5):
        epoch = leadership.take("berlin", f"holder {number}", 0)
        assert epoch is not None
        epochs.append(epoch)
    assert epochs == sorted(set(epochs))


@pytest.mark.long(every=3)
def test_epochs_grow_also_if_the_row_is_lost(store: Store, leadership: Leadership) -> None:
    """A database that is restored from a backup may have an old row, or none."""
    first = leadership.take("berlin", "a", LONG)
    assert first is not None
    assert isinstance(store, SqlStore)
    with store._engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM leadership")
    time.sleep(1.1)
    second = leadership.take("paris", "b", LONG)
    assert second is not None
    assert second > first


@pytest.mark.parametrize("is_expired", [False, True], ids=["new", "expired"])
def test_of_many_that_ask_at_once_one_leads(leadership: Leadership, *, is_expired: bool) -> None:
    if is_expired:
        assert leadership.take("oslo", "before", 0) is not None
    found: list[int | None] = []
    start = threading.Barrier(8)

    def take(number: int) -> None:
        start.wait()
        found.append(leadership.take(f"node {number}", f"holder {number}", LONG))

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len([epoch for epoch in found if epoch is not None]) == 1
