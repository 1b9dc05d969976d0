"""The stream of corrections: what clients get of what the archive learns, and what they must ask for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.stream.test_session import ME, NOW, OWNER, PREMIUM, KnownPairs, send

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principals
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore
from cambist.stream.admission import StreamAdmission
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.corrections import CORRECTIONS, Corrections
from cambist.stream.session import Session
from cambist.stream.subscription import StreamConnection

RECEIVED = datetime(2026, 10, 29, 15, 0, tzinfo=UTC)
TODAY = date(2026, 11, 20)
DAY = date(2026, 10, 29)
STREAMED = {"stream_connections": 5, "stream_pairs": 5, "stream_messages": 50}
PLANS = {
    "month": Plan(name="month", tags=("stream", "currency"), history_days=30, **STREAMED),
    "prices": Plan(name="prices", tags=("stream",), **STREAMED),
}
STORED_KEYS = {
    digest(OWNER): StoredKey(1, Account(1, "one", "month")),
    digest(PREMIUM): StoredKey(2, Account(2, "two", "prices")),
}


class ReadFrames:
    """A client that reads what it is sent; `is_dropped` once its connection was."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.is_dropped = False

    def write(self, frames: bytes) -> None:
        self.frames.append(frames)

    def abort(self) -> None:
        self.is_dropped = True

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(frame[frame.index(b"{") :]) for frame in self.frames]

    @property
    def values(self) -> list[tuple[str, str, str]]:
        return [(each["quote"], each["earlier"]["value"], each["corrected"]["value"]) for each in self.messages]


class Service:
    """An archive, and the stream that sends what is corrected in it."""

    def __init__(self, store: SqlStore, context: StreamContext) -> None:
        self.store, self.context, self.deliveries = store, context, 0

    @property
    def corrections(self) -> Corrections:
        found = self.context.feeds[CORRECTIONS]
        assert isinstance(found, Corrections)
        return found

    def file(self, *fixings: tuple[str, str, date]) -> str:
        """Have the archive receive fixings, send what they correct, and return the edition that shows them."""
        moment = RECEIVED + timedelta(hours=self.deliveries)
        self.deliveries += 1
        delivered = [Fixing("ecb", Pair("EUR", code), day, Decimal(value)) for code, value, day in fixings]
        archive = self.store.archive
        archive.file(DeliveryRecord("ecb", moment, "a test", "d"), delivered)
        sources = [adapter.source]
        built = record_edition(
            self.store.editions,
            rate_matrix_from_archive(self.store, sources, TODAY),
            sources,
        )
        self.advance()
        return built.edition

    def advance(self) -> None:
        newest = self.store.editions.newest()
        assert newest is not None
        asyncio.run(self.corrections.advance(newest))

    def connect(self, key: str = OWNER) -> tuple[Session, ReadFrames]:
        client = ReadFrames()
        session = Session(self.context, StreamConnection(client, 0.0))
        session.open(ME, NOW)
        assert send(session, op="auth", key=key)["status"] == 200
        return session, client


@pytest.fixture
def service(ledger: Any, tmp_path: Path) -> Iterator[Service]:
    from_file = SqlStore(f"sqlite:///{tmp_path / 'archive.db'}")
    from_file.migrate()
    prices = KnownPairs({}, lambda: datetime.fromtimestamp(NOW, UTC))
    billing = Billing(Meter(ledger, {}))
    corrections = Corrections(from_file.archive.corrections_after, lambda: TODAY)
    admission = StreamAdmission(Principals(STORED_KEYS, PLANS), billing)
    context = StreamContext(admission, billing, prices, Broadcaster(prices), {CORRECTIONS: corrections})
    made = Service(from_file, context)
    made.file(("USD", "1.1", DAY), ("JPY", "180", DAY), ("USD", "1.15", DAY + timedelta(days=3)))
    yield made
    from_file.close()


def subscribed(service: Service) -> tuple[Session, ReadFrames]:
    session, client = service.connect()
    assert send(session, op="subscribe", stream="corrections")["status"] == 200
    return session, client


def test_a_client_gets_each_correction_with_what_it_was_before(service: Service) -> None:
    _, client = subscribed(service)
    service.file(("JPY", "181", DAY), ("GBP", "0.8", DAY))
    service.file(("USD", "1.2", DAY))
    assert client.values == [("JPY", "180", "181"), ("USD", "1.1", "1.2")]
    first = client.messages[0]
    assert first["op"] == "correction"
    assert (first["date"], first["affected_until"], first["source"], first["base"]) == (
        "2026-10-29",
        "2026-11-12",
        "ecb",
        "EUR",
    )
    assert first["corrected"] == {"value": "181", "nominal": 1, "received_at": "2026-10-29T16:00:00Z"}


def test_the_reply_says_from_which_edition_on_corrections_are_sent(service: Service) -> None:
    edition = service.file(("JPY", "181", DAY))
    session, client = service.connect()
    reply = send(session, op="subscribe", stream="Corrections")
    assert (reply["msg"], reply["since"]) == ("Subscribed to 1 stream", edition)
    service.advance()
    assert client.frames == []


def test_nobody_gets_what_the_archive_learnt_before_but_missed_corrections_are_sent_after_an_error(
    service: Service,
) -> None:
    _, client = subscribed(service)
    read, service.corrections._read = service.corrections._read, broken
    with pytest.raises(OSError, match="gone"):
        service.file(("JPY", "181", DAY))
    service.corrections._read = read
    service.advance()
    service.advance()
    assert client.values == [("JPY", "180", "181")]


def broken(*_given: object) -> Any:
    raise OSError("gone")


def test_days_before_the_history_of_the_plan_are_left_out(service: Service) -> None:
    old = TODAY - timedelta(days=31)
    _, client = subscribed(service)
    service.file(("JPY", "170", old), ("JPY", "171", old + timedelta(days=1)))
    service.file(("JPY", "175", old), ("JPY", "176", old + timedelta(days=1)))
    assert client.values == [("JPY", "171", "176")]


def test_it_has_no_pairs_and_needs_the_group_of_currencies(service: Service) -> None:
    session, _ = service.connect()
    refused = send(session, op="subscribe", stream="corrections", pairs="EURUSD")
    assert (refused["status"], refused["msg"]) == (400, "The stream [corrections] has no pairs: leave out [pairs]")
    other, client = service.connect(PREMIUM)
    refused = send(other, op="subscribe", stream="corrections")
    assert (refused["status"], refused["msg"]) == (403, "The plan does not include the group [currency]")
    service.file(("JPY", "181", DAY))
    assert client.frames == []


@pytest.mark.parametrize("fields", [{"stream": "corrections"}, {}])
def test_a_client_that_unsubscribes_gets_no_more(service: Service, fields: dict[str, str]) -> None:
    session, client = subscribed(service)
    assert send(session, op="status")["streams"] == {"corrections": []}
    assert send(session, op="unsubscribe", **fields)["status"] == 200
    service.file(("JPY", "181", DAY))
    assert client.frames == []


def test_a_connection_that_is_closed_gets_no_more(service: Service) -> None:
    session, client = subscribed(service)
    session.close()
    service.file(("JPY", "181", DAY))
    assert client.frames == []


def test_a_slow_client_gets_all_of_them_later_and_is_dropped_if_there_are_too_many(service: Service) -> None:
    session, client = subscribed(service)
    service.context.broadcaster.pause(session.connection)
    service.file(("JPY", "181", DAY))
    service.file(("JPY", "182", DAY))
    assert client.frames == []
    service.context.broadcaster.resume(session.connection, 1.0)
    assert client.values == [("JPY", "180", "181"), ("JPY", "181", "182")]
    service.context.broadcaster.pause(session.connection)
    for _ in range(1000):
        session.connection.send(b"{}")
    assert not client.is_dropped
    session.connection.send(b"{}")
    assert client.is_dropped
