"""The watch for alerts, with real receivers: each alert once, in order, over restarts, failing receivers and nodes."""

from __future__ import annotations

import dataclasses
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from hmac import new as mac
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.contract.conftest import book_with, dealt
from tests.monitoring.receivers import MailReceiver, Webhook, serving
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account
from cambist.accounts.alerts.alerts import Alert, AlertEvent
from cambist.accounts.alerts.definition import AlertDefinition, Way, When
from cambist.accounts.plan import default_plans
from cambist.accounts.usage_counters import CounterTotal
from cambist.monitoring.alerts import alert_looks, webhook
from cambist.monitoring.alerts.alert_watch import AlertWatch
from cambist.monitoring.notifications.message import NotificationFailed
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECRET = "whsec_" + b64encode(b"k" * 32).decode()
FACTS = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "rate_type", "covers"), "a test's")


class Service:
    """A data folder with a book whose euro moves, and watches of it."""

    def __init__(self, folder: Path, store: SqlStore, **settings: Any) -> None:
        self.settings = Settings(data=folder, alert_private=True, **settings)
        self.folder, self.store, self.now = DataDirectory(folder), store, NOW
        self.books, self.version = RateBookFile(folder), 0
        self.account = store.accounts.create(Account(0, "shop", "one", email="shop@example.org"))
        self.watch = self.watcher()

    def watcher(self) -> AlertWatch:
        return AlertWatch(self.settings, self.store, lambda: self.now)

    def add(self, when: str = "above", address: str = "", **rest: Any) -> Alert:
        rest.setdefault("deliver", Way.WEBHOOK if address else Way.STREAM)
        pair = {} if when in ("published", "quota") else {"base": "EUR", "quote": "USD"}
        definition = AlertDefinition(when=When(when), address=address, **pair, **rest)
        return self.store.alerts.create(self.account.number, definition, SECRET, 99)

    def publish(self, euro: str, gold: str = "4000") -> None:
        quotes = {"EUR": dealt("EUR/USD", euro, euro, as_of=self.now), "XAU": dealt("XAU/USD", gold, gold)}
        self.version += 1
        self.books.publish(dataclasses.replace(book_with(self.now, **quotes).quoted(), version=self.version))

    def look(self, *, seconds: int = 90, watch: AlertWatch | None = None) -> None:
        watch = watch or self.watch
        watch.check()
        watch.delivery.wait()
        self.now += timedelta(seconds=seconds)

    @property
    def events(self) -> list[AlertEvent]:
        return list(self.store.alerts.events_of(self.account.number, 99))[::-1]


@pytest.fixture
def receiver() -> Iterator[Webhook]:
    with serving(Webhook()) as server:
        yield server


@pytest.fixture
def service(tmp_path: Path, small_store: SqlStore) -> Service:
    return Service(tmp_path, small_store)


def watch_rates(service: Service, *euros: str, seconds: int = 90) -> None:
    for euro in euros:
        service.publish(euro)
        service.look(seconds=seconds)


def test_a_level_that_is_crossed_is_posted_once_and_signed(service: Service, receiver: Webhook) -> None:
    alert = service.add(address=receiver.url, level=Decimal("1.2"), note="sell")
    watch_rates(service, "1.1", "1.25", "1.1", "1.25")
    ((path, headers, body),) = receiver.received
    assert path == "/hooks/secret-token?x=1"
    assert body == {
        "type": "alert.fired",
        "timestamp": "2026-11-20T12:01:30Z",
        "data": {
            "alert": alert.number, "when": "above", "from": "EUR", "to": "USD", "note": "sell",
            "text": "EUR/USD is 1.25, above 1.2", "rate": 1.25, "updated": "2026-11-20T12:01:30Z",
        },
    }  # fmt: skip
    (event,) = service.events
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{event.body}".encode()
    expected = b64encode(mac(b64decode(SECRET.removeprefix("whsec_")), signed, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    (kept,) = service.store.alerts.of_account(service.account.number)
    assert (kept.fired, kept.ended_at) == (1, NOW + timedelta(seconds=90))


def test_an_alert_that_repeats_fires_each_time_over_restarts(service: Service, receiver: Webhook) -> None:
    service.add(address=receiver.url, level=Decimal("1.2"), repeat=True)
    for euro in ("1.25", "1.25", "1.1", "1.3"):
        service.publish(euro)
        service.look(watch=service.watcher())
    assert [body["data"]["rate"] for _, _, body in receiver.received] == [1.25, 1.3]


def test_a_receiver_that_fails_gets_everything_later_in_order_and_others_at_once(
    service: Service, receiver: Webhook
) -> None:
    with serving(Webhook()) as other:
        for address in (receiver.url, other.url):
            service.add(address=address, level=Decimal("1.2"), repeat=True)
        receiver.status = 503
        watch_rates(service, "1.25", "1.1", "1.26", "1.1")
        assert [body["data"]["rate"] for _, _, body in other.received] == [1.25, 1.26]
        failed = [each for each in service.events if each.delivered_at is None]
        assert [each.failure for each in failed] == ["The receiver answers with 503", ""]
        receiver.status, tried = 204, len(receiver.received)
        for _ in range(4):
            service.look(seconds=600)
    after = receiver.received[tried:]
    assert [body["data"]["rate"] for _, _, body in after] == [1.25, 1.26]
    ids = [headers["webhook-id"] for _, headers, _ in receiver.received]
    assert len(set(ids)) == 2
    assert all(each.delivered_at is not None for each in service.events)


@pytest.mark.long
def test_what_cannot_be_delivered_in_three_days_is_given_up(service: Service, receiver: Webhook) -> None:
    service.add(address=receiver.url, level=Decimal("1.2"))
    receiver.status = 500
    watch_rates(service, "1.25")
    for _ in range(80):
        service.look(seconds=3600)
    (event,) = service.events
    assert (event.due, event.delivered_at, event.failure) == (None, None, "The receiver answers with 500")
    assert 70 < event.attempts < 90


def test_two_nodes_that_both_look_fire_once(tmp_path: Path, receiver: Webhook) -> None:
    store = SqlStore(postgresql_url(tmp_path))
    store.migrate()
    service = Service(tmp_path, store)
    others = [service.watcher() for _ in range(4)]
    service.add(address=receiver.url, level=Decimal("1.2"), repeat=True)
    for euro in ("1.25", "1.1", "1.26"):
        service.publish(euro)
        threads = [threading.Thread(target=service.look, kwargs={"watch": watch, "seconds": 30}) for watch in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    service.look()
    store.close()
    assert [body["data"]["rate"] for _, _, body in receiver.received] == [1.25, 1.26]


def test_a_node_that_does_not_lead_looks_at_nothing(tmp_path: Path, small_store: SqlStore, receiver: Webhook) -> None:
    service = Service(tmp_path, small_store, redis="redis://127.0.0.1:1")
    service.add(address=receiver.url, level=Decimal("1.2"))
    service.publish("1.25")
    for leads in (False, True):
        own = NodeReport(name="a", instance="i", roles=("api",), version="1", written_at=service.now, leads=leads)
        write_json_file(service.folder.cluster_report, ClusterReport(written_at=service.now, node="a", nodes=(own,)))
        service.look(seconds=1)
        assert len(receiver.received) == leads


def test_a_price_that_is_too_old_fires_nothing(service: Service) -> None:
    gold = AlertDefinition(when=When.ABOVE, base="XAU", quote="EUR", level=Decimal(1), deliver=Way.STREAM, repeat=True)
    service.store.alerts.create(service.account.number, gold, "", 9)
    service.now = NOW + timedelta(hours=1)
    watch_rates(service, "1.25")
    assert service.events == []
    service.now = NOW + timedelta(seconds=1)
    watch_rates(service, "1.25")
    assert len(service.events) == 1


def test_a_publisher_a_quota_and_an_owner_by_e_mail(
    tmp_path: Path, small_store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alert_looks, "_SLOW_SECONDS", 0.0)
    (tmp_path / "plans.toml").write_text(default_plans())
    with serving(MailReceiver()) as mail:
        url = f"smtp://127.0.0.1:{mail.port}?from=rates@example.org&to=operator@example.org&starttls=never"
        service = Service(tmp_path, small_store, notify_email=url)
        service.add("published", source="ecb", deliver=Way.EMAIL, repeat=True)
        service.add("quota", change="80%", deliver=Way.EMAIL)
        for day, calls in ((18, 1), (19, 799_999), (19, 800_000), (20, 900_000)):
            report = SourceReport(key="ecb", pace="daily", enabled=True, last=NOW.date().replace(day=day), **FACTS)
            write_json_file(service.folder.source_reports, SourceReports(service.now, (report,)))
            total = CounterTotal(NOW.date(), 1, service.account.number, "fetch-one", calls)
            service.store.usage.store_totals([total])
            service.look()
            service.look(seconds=0)
    assert [(each["To"], each["Subject"].strip()) for each in mail.received] == [
        ("shop@example.org", "[cambist] ecb has published 2026-11-19"),
        ("shop@example.org", "[cambist] 80 % of the quota of 1000000 calls are used; it ends on 2026-11-30"),
        ("shop@example.org", "[cambist] ecb has published 2026-11-20"),
    ]


@pytest.fixture
def event() -> AlertEvent:
    return AlertEvent(
        number=7, alert=1, account=1, at=NOW, way=Way.WEBHOOK, address="https://hooks.example.org/a", body="{}"
    )


def resolve(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[tuple[Any, ...]]:
    """Let every name resolve to these addresses, and return what is connected to."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 443)) for each in addresses]
    connected: list[tuple[Any, ...]] = []

    def connect(address: tuple[Any, ...], _seconds: float) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(webhook.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(webhook.socket, "create_connection", connect)
    return connected


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("8.8.8.8", "10.0.0.1"), ("::1",), ("169.254.169.254",)])
def test_a_name_that_resolves_to_a_private_address_is_not_asked(
    event: AlertEvent, monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]
) -> None:
    connected = resolve(monkeypatch, *addresses)
    with pytest.raises(NotificationFailed, match="is not on the internet"):
        webhook.send_webhook(event, SECRET, 0, allows_private=False)
    assert connected == []


def test_the_address_that_was_checked_is_connected_to(event: AlertEvent, monkeypatch: pytest.MonkeyPatch) -> None:
    connected = resolve(monkeypatch, "8.8.8.8")
    with pytest.raises(NotificationFailed, match="Connection refused"):
        webhook.send_webhook(event, SECRET, 0, allows_private=False)
    assert connected == [("8.8.8.8", 443)]


class _Answers:
    """A server that sends these bytes to each client, slowly, and counts the clients."""

    def __init__(self, content: bytes, pause: float = 0.0) -> None:
        self.content, self.pause, self.clients = content, pause, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.clients += 1
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            try:
                received = b""
                while not received.endswith(b"{}"):  # the whole request: else the answer could be lost with a reset
                    received += client.recv(65536)
                for byte in self.content:
                    client.sendall(bytes([byte]))
                    time.sleep(self.pause)
            except OSError:
                return


def test_a_redirect_is_not_followed(event: AlertEvent) -> None:
    target = _Answers(b"HTTP/1.1 200 OK\r\n\r\n")
    first = _Answers(f"HTTP/1.1 307 Moved\r\nLocation: {target.url}\r\nContent-Length: 0\r\n\r\n".encode())
    moved = structs.replace(event, address=first.url)
    with pytest.raises(NotificationFailed, match="answers with 307"):
        webhook.send_webhook(moved, SECRET, 0, allows_private=True)
    assert (first.clients, target.clients) == (1, 0)
    first.socket.close()
    target.socket.close()


def test_a_receiver_that_answers_slowly_does_not_hold_the_thread(
    event: AlertEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "SECONDS", 0.5)
    slow = _Answers(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 2000, pause=0.05)
    with pytest.raises(NotificationFailed, match="cannot be reached"):
        webhook.send_webhook(structs.replace(event, address=slow.url), SECRET, 0, allows_private=True)
    slow.socket.close()
