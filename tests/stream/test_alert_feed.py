"""The stream of alerts: who gets what fires, also what it has missed."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.stream.test_corrections import ReadFrames
from tests.stream.test_session import ME, NOW, KnownPairs, send

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.alerts.alerts import Alert, NewEvent
from cambist.accounts.alerts.definition import AlertDefinition, Way, When
from cambist.accounts.api_key import digest, mint
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principals
from cambist.storage.sql import SqlStore
from cambist.stream.admission import StreamAdmission
from cambist.stream.alerts import ALERTS, AlertFeed
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.session import Session
from cambist.stream.subscription import StreamConnection

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
STREAMED = {"stream_connections": 9, "stream_pairs": 5, "stream_messages": 50}
PLANS = {
    "all": Plan(name="all", tags=("stream", "admin"), **STREAMED),
    "prices": Plan(name="prices", tags=("stream",), **STREAMED),
}
KEYS = {name: mint(lambda alphabet, at=at: alphabet[at]) for at, name in enumerate(("one", "two", "less"), 20)}


class Service:
    """Two accounts with an alert each, and the stream that sends what fires."""

    def __init__(self, store: SqlStore, ledger: Any) -> None:
        self.store, self.feed = store, AlertFeed(store.alerts)
        accounts = {name: store.accounts.create(Account(0, name, "all")) for name in ("one", "two")}
        accounts["less"] = store.accounts.create(Account(0, "less", "prices"))
        self.alerts: dict[str, Alert] = {name: self.add(account) for name, account in accounts.items()}
        keys = {digest(KEYS[name]): StoredKey(each.number, each) for name, each in accounts.items()}
        prices, billing = KnownPairs({}, lambda: AT), Billing(Meter(ledger, {}))
        admission = StreamAdmission(Principals(keys, PLANS), billing)
        self.context = StreamContext(admission, billing, prices, Broadcaster(prices), {ALERTS: self.feed})

    def add(self, account: Account) -> Alert:
        asked = AlertDefinition(when=When.ABOVE, base="EUR", quote="USD", level=Decimal(1), deliver=Way.STREAM)
        return self.store.alerts.create(account.number, asked, "", 9)

    def fire(self, *names: str) -> None:
        """Record what fires for these accounts, and send it."""
        for name in names:
            alert, count = self.alerts[name], self.store.alerts.last_event() + 1
            body = json.dumps({"type": "alert.fired", "data": {"count": count}})
            self.store.alerts.try_out(alert.account, alert.number, NewEvent(body, AT))
        self.advance()

    def advance(self) -> None:
        asyncio.run(self.feed.advance())

    def connect(self, name: str) -> tuple[Session, ReadFrames]:
        client = ReadFrames()
        session = Session(self.context, StreamConnection(client, 0.0))
        session.open(ME, NOW)
        assert send(session, op="auth", key=KEYS[name])["status"] == 200
        return session, client

    def subscribe(self, name: str, **rest: Any) -> tuple[dict[str, Any], ReadFrames]:
        session, client = self.connect(name)
        reply = send(session, op="subscribe", stream="alerts", **rest)
        assert reply["status"] == 200
        return reply, client


@pytest.fixture
def service(ledger: Any, tmp_path: Path) -> Iterator[Service]:
    store = SqlStore(f"sqlite:///{tmp_path / 'alerts.db'}")
    store.migrate()
    yield Service(store, ledger)
    store.close()


def ids(client: ReadFrames) -> list[int]:
    return [each["id"] for each in client.messages]


def test_an_account_gets_its_own_alerts_on_each_of_its_connections(service: Service) -> None:
    service.advance()
    (_, first), (_, second), (_, other) = (service.subscribe(name) for name in ("one", "one", "two"))
    service.fire("one", "two", "one")
    assert (ids(first), ids(second), ids(other)) == ([1, 3], [1, 3], [2])
    assert first.messages[0] == {"op": "alert", "id": 1, "type": "alert.fired", "data": {"count": 1}}


def test_what_fired_before_is_sent_only_to_who_asks_for_it(service: Service) -> None:
    service.fire("one", "two", "one", "one")
    (reply, new), (_, back) = service.subscribe("one"), service.subscribe("one", since=1)
    assert reply["since"] == 4
    service.advance()
    service.advance()
    assert (ids(new), ids(back)) == ([], [3, 4])
    service.fire("one")
    assert (ids(new), ids(back)) == ([5], [3, 4, 5])


def test_the_first_alert_of_all_is_sent(service: Service) -> None:
    _, client = service.subscribe("one")
    service.advance()
    service.fire("one")
    assert ids(client) == [1]


def test_nothing_is_lost_between_a_look_and_a_subscription(service: Service) -> None:
    service.fire("one")
    last = service.store.alerts.last_event
    clients = []

    def slowly() -> int:
        clients.append(service.subscribe("one")[1])
        service.store.alerts.try_out(1, service.alerts["one"].number, NewEvent('{"type":"x"}', AT))
        return last()

    service.store.alerts.last_event = slowly  # type: ignore[method-assign]
    service.advance()
    service.store.alerts.last_event = last  # type: ignore[method-assign]
    service.advance()
    assert ids(clients[0]) == [2]


def test_who_has_gone_gets_nothing_and_a_plan_without_the_group_is_refused(service: Service) -> None:
    service.advance()
    session, client = service.connect("one")
    send(session, op="subscribe", stream="alerts")
    assert send(session, op="status")["streams"] == {"alerts": []}
    assert send(session, op="unsubscribe", stream="alerts")["msg"] == "Unsubscribed from the alerts"
    session.close()
    service.fire("one")
    assert ids(client) == []
    refused = send(service.connect("less")[0], op="subscribe", stream="alerts")
    assert (refused["status"], refused["msg"]) == (403, "The plan does not include the group [admin]")
    session, _ = service.connect("one")
    assert session.principal is not None
    session.principal = dataclasses.replace(session.principal, key=0)  # of the page
    assert send(session, op="subscribe", stream="alerts")["status"] == 401
    refused = send(service.connect("one")[0], op="subscribe", stream="alerts", pairs="EURUSD")
    assert refused["msg"] == "The stream [alerts] has no pairs: leave out [pairs]"
