"""Tests for every `Alerts`. A new store is added in STORES."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account
from cambist.accounts.alerts.alerts import Alert, NewEvent
from cambist.accounts.alerts.definition import AlertDefinition, Way, When
from cambist.accounts.alerts.evaluation import AlertState
from cambist.errors import NotInPlan
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'alerts.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}
EVENT = NewEvent('{"type":"alert.fired"}', NOW)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    opened = STORES[str(request.param)](tmp_path)
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def shop(store: SqlStore) -> Account:
    return store.accounts.create(Account(0, "shop", "one"))


def asked(deliver: Way = Way.STREAM, **rest: Any) -> AlertDefinition:
    return AlertDefinition(when=When.ABOVE, base="EUR", quote="USD", level=Decimal("1.10"), deliver=deliver, **rest)


def add(store: SqlStore, account: Account, definition: AlertDefinition | None = None, most: int = 9) -> Alert:
    return store.alerts.create(account.number, definition or asked(), "secret", most)


def test_an_alert_is_stored_with_all_its_fields(store: SqlStore, shop: Account) -> None:
    webhook = asked(Way.WEBHOOK, address="https://a.example/", repeat=True, note="für später")
    hours = timedelta(hours=3)
    moves = AlertDefinition(when=When.MOVES, base="BTC", quote="EUR", change="2%", within=hours, deliver=Way.EMAIL)
    first, second = add(store, shop, webhook), add(store, shop, moves)
    assert list(store.alerts.of_account(shop.number)) == [first, second] == list(store.alerts.active())
    assert (first.definition, second.definition, first.fired) == (webhook, moves, 0)
    assert store.alerts.secret_of(first.number) == "secret"


def test_a_plan_limits_the_alerts_that_have_not_ended(store: SqlStore, shop: Account) -> None:
    first = add(store, shop, most=1)
    with pytest.raises(NotInPlan, match=r"allows \[1\] alerts"):
        add(store, shop, most=1)
    assert store.alerts.fire(first, AlertState(), EVENT)
    second = add(store, shop, most=1)
    store.alerts.remove(shop.number, second.number)
    add(store, shop, most=1)


def test_an_account_sees_and_removes_only_its_own(store: SqlStore, shop: Account) -> None:
    other = store.accounts.create(Account(0, "other", "one"))
    alert = add(store, shop)
    assert store.alerts.of_account(other.number) == []
    assert not store.alerts.remove(other.number, alert.number)
    assert store.alerts.try_out(other.number, alert.number, EVENT) is None
    assert store.alerts.remove(shop.number, alert.number)
    assert not store.alerts.remove(shop.number, alert.number)
    assert (store.alerts.of_account(shop.number), store.alerts.secret_of(alert.number)) == ([], "")


def test_alerts_of_suspended_and_deleted_accounts_are_not_looked_at(store: SqlStore, shop: Account) -> None:
    add(store, shop)
    store.accounts.change(dataclasses.replace(shop, suspended=True))
    assert store.alerts.active() == []
    store.accounts.change(shop)
    assert len(store.alerts.active()) == 1
    store.accounts.delete(shop)
    assert store.alerts.active() == []


@pytest.mark.long(every=2)
@pytest.mark.parametrize("repeat", [False, True])
def test_what_fires_is_recorded_once_by_many_that_see_it(store: SqlStore, shop: Account, *, repeat: bool) -> None:
    alert = add(store, shop, asked(repeat=repeat))
    with ThreadPoolExecutor(4) as pool:
        fired = list(pool.map(lambda _: store.alerts.fire(alert, AlertState(is_met=True), EVENT), range(8)))
    assert sorted(fired) == [False] * 7 + [True]
    assert len(store.alerts.events_of(shop.number, 99)) == 1
    (kept,) = store.alerts.of_account(shop.number)
    assert (kept.fired, kept.ended_at) == (1, None if repeat else NOW)
    assert [each.fired for each in store.alerts.active()] == ([1] if repeat else [])
    assert store.alerts.fire(kept, AlertState(), EVENT) is repeat


def test_states_are_kept(store: SqlStore, shop: Account) -> None:
    alert = add(store, shop)
    state = AlertState(is_met=True, fired_at=NOW, samples=((1, 1.5), (2, 1.25)), place="2026-11-19")
    store.alerts.keep_states({alert.number: state})
    assert store.alerts.active() == [structs.replace(alert, state=state)]


def test_events_of_one_address_are_due_one_after_the_other(store: SqlStore, shop: Account) -> None:
    one = add(store, shop, asked(Way.WEBHOOK, address="https://a.example/", repeat=True))
    two = add(store, shop, asked(Way.WEBHOOK, address="https://b.example/", repeat=True))
    for alert in (one, one, two):
        store.alerts.try_out(shop.number, alert.number, EVENT)
    first, third = store.alerts.due(NOW, 99)
    assert (first.number < third.number, third.address) == (True, "https://b.example/")
    assert store.alerts.claim(first, NOW + timedelta(minutes=1))
    assert not store.alerts.claim(first, NOW + timedelta(minutes=1))
    assert [each.number for each in store.alerts.due(NOW, 99)] == [third.number]
    store.alerts.settle(first, delivered_at=None, due=NOW + timedelta(seconds=5), failure="no")
    (_, again) = store.alerts.due(NOW + timedelta(seconds=5), 99)
    assert (again.number, again.attempts, again.failure) == (first.number, 1, "no")
    store.alerts.settle(again, delivered_at=NOW, due=None, failure="")
    assert [each.number for each in store.alerts.due(NOW, 99)] == [first.number + 1, third.number]


def test_what_a_removed_alert_would_send_is_not_sent(store: SqlStore, shop: Account) -> None:
    alert = add(store, shop, asked(Way.EMAIL))
    event = store.alerts.try_out(shop.number, alert.number, EVENT)
    store.alerts.remove(shop.number, alert.number)
    assert event is not None
    assert not store.alerts.claim(event, NOW)
    assert store.alerts.due(NOW, 99) == []


def test_only_events_for_the_stream_are_streamed(store: SqlStore, shop: Account) -> None:
    streamed, mailed = add(store, shop), add(store, shop, asked(Way.EMAIL))
    assert store.alerts.last_event() == 0
    for alert in (streamed, mailed, streamed):
        store.alerts.try_out(shop.number, alert.number, EVENT)
    first, second = store.alerts.events_after(0, 99)
    assert {first.way, second.way} == {Way.STREAM}
    assert (first.due, first.delivered_at) == (None, NOW)
    assert store.alerts.events_after(first.number, 99) == [second]
    assert store.alerts.events_after(0, 1) == [first]
    assert store.alerts.events_after(0, 99, shop.number + 1) == []
    assert store.alerts.last_event() == second.number


def test_old_events_are_forgotten_unless_they_wait(store: SqlStore, shop: Account) -> None:
    streamed, mailed = add(store, shop), add(store, shop, asked(Way.EMAIL))
    for alert in (streamed, mailed):
        store.alerts.try_out(shop.number, alert.number, EVENT)
    store.alerts.forget(NOW)
    assert len(store.alerts.events_of(shop.number, 99)) == 2
    store.alerts.forget(NOW + timedelta(seconds=1))
    assert [each.way for each in store.alerts.events_of(shop.number, 99)] == [Way.EMAIL]
