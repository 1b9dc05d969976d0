"""Billing: a connection is free, or costs calls for every minute that it begins."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec import structs
from tests.stream.test_session import empty_feeds

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.accounts.principal import Principal, Principals
from cambist.accounts.would_block import WouldBlock
from cambist.errors import QuotaUnknown
from cambist.pricing.pair import Pair
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.stream.admission import StreamAdmission
from cambist.stream.billing import USAGE_LABEL, Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.prices import Prices
from cambist.stream.session import Reply, Session
from cambist.stream.subscription import StreamConnection

NOW = 1_795_176_000.0
TODAY = date(2026, 11, 20)
KEY = mint(lambda alphabet: alphabet[7])
STORED_KEYS = {digest(KEY): StoredKey(10, Account(1, "shop", "premium"))}
PREMIUM = read_plans(default_plans(), "plans.toml")["premium"]
PAIRS = (Pair("BTC", "USD"), Pair("ETH", "USD"))
MOMENT = datetime.fromtimestamp(NOW, UTC)


def plans_with(**changed: Any) -> Mapping[str, Plan]:
    return {"premium": structs.replace(PREMIUM, **changed)}


def payload(reply: Reply) -> dict[str, Any]:
    frame = reply.frame
    return dict(json.loads(frame[{126: 4, 127: 10}.get(frame[1], 2) :]))


def new_context(ledger: Any, **changed: Any) -> StreamContext:
    """Return a context with a changed plan and a book of two coins."""
    prices = Prices({}, lambda: MOMENT)
    prices.update(RateBook.of(QuotedBook(1, MOMENT, {}, (), venue_pairs=frozenset(PAIRS))))
    billing = Billing(Meter(ledger, {}))
    admission = StreamAdmission(Principals(STORED_KEYS, plans_with(**changed)), billing)
    return StreamContext(admission, billing, prices, Broadcaster(prices), empty_feeds())


@pytest.fixture
def context(ledger: Any) -> StreamContext:
    return new_context(ledger, stream_calls_a_minute=10, calls_a_month=35)


@pytest.fixture
def spent(ledger: Any) -> Callable[[], int]:
    return lambda: int(ledger.spent(1, TODAY))


class UnusedWriter:
    """A writer that must not be used, because nothing is flushed."""

    def write(self, frames: bytes) -> None:
        raise AssertionError(frames)

    def abort(self) -> None:
        raise AssertionError


def connect(context: StreamContext, now: float = NOW) -> tuple[Session, dict[str, Any]]:
    """Open a connection with a key; return its session and the reply."""
    session = Session(context, StreamConnection(UnusedWriter(), 0.0), "203.0.113.5")
    return session, payload(session.handle(json.dumps({"op": "auth", "key": KEY}).encode(), now))


def test_the_default_plans_charge_nothing_and_the_use_of_the_key_is_recorded(ledger: Any) -> None:
    context = new_context(ledger)
    session, reply = connect(context)
    assert set(reply) == {"op", "status", "tsp", "msg"}
    assert session.renew(NOW + 61) is None
    assert ledger.spent(1, TODAY) == 0
    assert ledger.keys[10] == int(NOW + 61)


def test_every_minute_that_begins_is_charged_once_and_the_reply_names_the_cost(
    context: StreamContext, spent: Callable[[], int]
) -> None:
    session, reply = connect(context)
    assert (reply["status"], reply["msg"], reply["calls_a_minute"]) == (200, "Authenticated OK", 10)
    counted = []
    for second in (0.5, 59.5, 60.0, 60.5, 119.5, 120.0):
        assert session.renew(NOW + second) is None
        counted.append(spent())
    assert counted == [10, 10, 20, 20, 20, 30]


def test_usage_names_the_stream(context: StreamContext, ledger: Any) -> None:
    connect(context)
    assert ledger.spent_by == {(1, USAGE_LABEL, TODAY): 10}


def test_a_spent_quota_closes_the_connection_with_a_reason_and_costs_nothing(
    context: StreamContext, spent: Callable[[], int]
) -> None:
    session, _ = connect(context)
    assert [session.renew(NOW + 60 * minute) for minute in (1, 2)] == [None, None]
    reply = session.renew(NOW + 180)
    assert reply is not None
    found = payload(reply)
    assert (found["op"], found["status"], reply.close_code) == ("error", 429, 1008)
    assert "a minute of the stream costs [10] calls, [5] remain" in found["msg"]
    assert spent() == 30


def test_an_account_without_calls_left_is_not_admitted_and_uses_up_no_connection(
    context: StreamContext, spent: Callable[[], int]
) -> None:
    for _ in range(3):
        assert connect(context)[1]["status"] == 200
    for _ in range(PREMIUM.stream_connections):
        found = connect(context)[1]
        assert (found["op"], found["status"]) == ("auth", 429)
        assert "Quota spent" in found["msg"]
    assert spent() == 30
    context.admission.principals.update(plans=plans_with())
    assert connect(context)[1]["status"] == 200


def test_minutes_in_which_the_machine_was_asleep_are_not_charged(
    context: StreamContext, spent: Callable[[], int]
) -> None:
    session, _ = connect(context)
    for second in (3600, 3600.5, 3659):
        assert session.renew(NOW + second) is None
    assert spent() == 20
    assert session.renew(NOW + 3660) is None
    assert spent() == 30


class AskingMeter(Meter):
    """The meter of a node: its quota is asked for until `refuse` says something else."""

    refuse: type[QuotaUnknown | WouldBlock] | None = WouldBlock

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "the request") -> None:
        if self.refuse is QuotaUnknown:
            raise QuotaUnknown("not known", 5)
        if self.refuse is WouldBlock:
            raise WouldBlock
        super().check_quota(principal, cost, now, what)


@pytest.fixture
def asking(ledger: Any) -> tuple[AskingMeter, StreamContext]:
    """Return a meter that asks for its quota, and a context with it."""
    meter = AskingMeter(ledger, {})
    billing = Billing(meter)
    admission = StreamAdmission(
        Principals(STORED_KEYS, plans_with(stream_calls_a_minute=10, calls_a_month=35)), billing
    )
    prices = Prices({}, lambda: MOMENT)
    return meter, StreamContext(admission, billing, prices, Broadcaster(prices), empty_feeds())


def test_a_minute_whose_quota_is_being_asked_for_is_charged_later(
    asking: tuple[AskingMeter, StreamContext], spent: Callable[[], int]
) -> None:
    meter, context = asking
    session, reply = connect(context)
    assert (reply["status"], spent()) == (200, 0)
    assert session.renew(NOW + 0.5) is None
    meter.refuse = None
    counted = []
    for second in (1.0, 1.5, 59.5, 60.0, 60.5):
        assert session.renew(NOW + second) is None
        counted.append(spent())
    assert counted == [10, 10, 10, 20, 20]


def test_a_connection_whose_quota_is_not_known_in_time_is_closed(
    asking: tuple[AskingMeter, StreamContext], spent: Callable[[], int]
) -> None:
    session, _ = connect(asking[1])
    assert session.renew(NOW + 4.5) is None
    reply = session.renew(NOW + 5)
    assert reply is not None
    assert (payload(reply)["status"], reply.close_code, spent()) == (503, 1008, 0)


def test_a_connection_whose_quota_cannot_be_known_is_not_admitted(asking: tuple[AskingMeter, StreamContext]) -> None:
    meter, context = asking
    meter.refuse = QuotaUnknown
    assert connect(context)[1]["status"] == 503


def test_a_plan_that_starts_to_charge_does_so_from_the_next_minute(ledger: Any) -> None:
    context = new_context(ledger)
    session, _ = connect(context)
    context.admission.principals.update(plans=plans_with(stream_calls_a_minute=3))
    assert session.renew(NOW + 30) is None
    assert ledger.spent(1, TODAY) == 0
    assert session.renew(NOW + 60) is None
    assert ledger.spent(1, TODAY) == 3


def test_a_plan_that_allows_fewer_pairs_closes_a_connection_with_more(context: StreamContext) -> None:
    session, _ = connect(context)
    session.handle(b'{"op":"subscribe","stream":"fx","pairs":["ETHUSD","BTCUSD"]}', NOW)
    context.admission.principals.update(plans=plans_with(stream_pairs=2))
    assert session.renew(NOW + 1) is None
    context.admission.principals.update(plans=plans_with(stream_pairs=1))
    reply = session.renew(NOW + 2)
    assert reply is not None
    assert (payload(reply)["status"], reply.close_code) == (429, 1008)
    assert "allows 1 pairs on a connection; this one has 2" in payload(reply)["msg"]


def test_a_revoked_key_closes_its_connection_and_is_not_charged(
    context: StreamContext, spent: Callable[[], int]
) -> None:
    session, _ = connect(context)
    context.admission.principals.update(stored_keys={digest(KEY): replace(STORED_KEYS[digest(KEY)], revoked=True)})
    reply = session.renew(NOW + 60)
    assert reply is not None
    assert (payload(reply)["status"], reply.close_code) == (401, 1008)
    assert spent() == 10


@pytest.mark.parametrize("jump", [7200, -7200, 86_400, -86_400])
def test_a_clock_that_jumps_neither_skips_minutes_nor_charges_for_the_jump(ledger: Any, jump: float) -> None:
    context = new_context(ledger, stream_calls_a_minute=10)
    session, _ = connect(context)
    charged = []
    for second in (1, 61, 121):
        assert session.renew(NOW + jump + second) is None
        charged.append(sum(ledger.spent_by.values()))
    assert charged[0] in (10, 20)
    assert [each - charged[0] for each in charged] == [0, 10, 20]
    assert session.count_frames(NOW + jump + 122) is None
