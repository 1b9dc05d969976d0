"""What a connection is charged: nothing, or so many calls for every minute that it begins."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from msgspec import structs

from cambist.accounts.account import Account, Holder
from cambist.accounts.api_key import Digest, digest, mint
from cambist.accounts.bearer import Bearer
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.market.pair import Pair
from cambist.stream.door import CHARGED_AS, Door, Refused
from cambist.stream.messages import StreamName
from cambist.stream.session import Said, Session, State

NOW = 1_795_176_000.0
TODAY = date(2026, 11, 20)
KEY = mint(lambda alphabet: alphabet[7])
HOLDERS = {digest(KEY): Holder(10, Account(1, "shop", "premium"))}
PREMIUM = read_plans(default_plans(), "plans.toml")["premium"]
PAIRS = {"EURUSD": Pair("EUR", "USD"), "BTCUSD": Pair("BTC", "USD")}


class House:
    """What a session asks, without a network."""

    def __init__(self, door: Door) -> None:
        self.door = door

    def admit(self, digest: Digest, now: float) -> Bearer | Refused:
        return self.door.admit(digest, "203.0.113.5", now)

    def charge(self, bearer: Bearer, now: float) -> Refused | None:
        return self.door.charge(bearer, now)

    def pairs(self, _names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        return dict(PAIRS), []

    def select(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        """Nothing is sent here."""

    def state(self) -> State:
        return State(1, 0.1, 15.0)


def on(**changed: Any) -> Mapping[str, Plan]:
    return {"premium": structs.replace(PREMIUM, **changed)}


def payload(said: Said) -> dict[str, Any]:
    frame = said.frame
    return dict(json.loads(frame[{126: 4, 127: 10}.get(frame[1], 2) :]))


@pytest.fixture
def door(ledger: Any) -> Door:
    return Door(HOLDERS, on(stream_calls_a_minute=10, calls_a_month=35), Meter(ledger, {}))


@pytest.fixture
def spent(ledger: Any) -> Callable[[], int]:
    return lambda: int(ledger.spent(1, TODAY))


def come_in(door: Door, now: float = NOW) -> tuple[Session, dict[str, Any]]:
    session = Session(House(door))
    return session, payload(session.hear(json.dumps({"op": "auth", "key": KEY}).encode(), now))


def check(session: Session, door: Door, now: float) -> Said | None:
    return session.go_on(door.look(session.digest, now), now)


def test_by_the_plans_that_come_with_it_nothing_is_charged_and_the_key_was_used(ledger: Any) -> None:
    door = Door(HOLDERS, on(), Meter(ledger, {}))
    session, told = come_in(door)
    assert set(told) == {"op", "status", "tsp", "msg"}
    assert check(session, door, NOW + 61) is None
    assert ledger.spent(1, TODAY) == 0
    assert ledger.keys[10] == int(NOW + 61)


def test_every_minute_that_begins_is_charged_once_and_the_cost_is_told(door: Door, spent: Callable[[], int]) -> None:
    session, told = come_in(door)
    assert (told["status"], told["msg"], told["calls_a_minute"]) == (200, "Authenticated OK", 10)
    counted = []
    for second in (0.5, 59.5, 60.0, 60.5, 119.5, 120.0):
        assert check(session, door, NOW + second) is None
        counted.append(spent())
    assert counted == [10, 10, 20, 20, 20, 30]


def test_usage_names_the_stream(door: Door, ledger: Any) -> None:
    come_in(door)
    assert ledger.spent_by == {(1, CHARGED_AS, TODAY): 10}


def test_a_spent_quota_ends_a_connection_with_a_reason_and_costs_nothing(door: Door, spent: Callable[[], int]) -> None:
    session, _ = come_in(door)
    assert [check(session, door, NOW + 60 * minute) for minute in (1, 2)] == [None, None]
    said = check(session, door, NOW + 180)
    assert said is not None
    found = payload(said)
    assert (found["op"], found["status"], said.close) == ("error", 429, 1008)
    assert "a minute of the stream costs [10] calls, [5] remain" in found["msg"]
    assert spent() == 30


def test_who_has_no_calls_left_is_not_let_in_and_takes_no_connection(door: Door, spent: Callable[[], int]) -> None:
    for _ in range(3):
        assert come_in(door)[1]["status"] == 200
    for _ in range(PREMIUM.stream_connections):
        found = come_in(door)[1]
        assert (found["op"], found["status"]) == ("auth", 429)
        assert "Quota spent" in found["msg"]
    assert spent() == 30
    door.take(plans=on())
    assert come_in(door)[1]["status"] == 200


def test_a_machine_that_slept_charges_the_minute_that_begins_and_not_those_in_which_it_slept(
    door: Door, spent: Callable[[], int]
) -> None:
    session, _ = come_in(door)
    for second in (3600, 3600.5, 3659):
        assert check(session, door, NOW + second) is None
    assert spent() == 20
    assert check(session, door, NOW + 3660) is None
    assert spent() == 30


def test_a_plan_that_begins_to_charge_does_so_from_the_next_minute_on(ledger: Any) -> None:
    door = Door(HOLDERS, on(), Meter(ledger, {}))
    session, _ = come_in(door)
    door.take(plans=on(stream_calls_a_minute=3))
    assert check(session, door, NOW + 30) is None
    assert ledger.spent(1, TODAY) == 0
    assert check(session, door, NOW + 60) is None
    assert ledger.spent(1, TODAY) == 3


def test_a_plan_that_allows_fewer_pairs_ends_who_listens_to_more(door: Door) -> None:
    session, _ = come_in(door)
    session.hear(b'{"op":"subscribe","stream":"fx","pairs":["EURUSD","BTCUSD"]}', NOW)
    door.take(plans=on(stream_pairs=2))
    assert check(session, door, NOW + 1) is None
    door.take(plans=on(stream_pairs=1))
    said = check(session, door, NOW + 2)
    assert said is not None
    assert (payload(said)["status"], said.close) == (429, 1008)
    assert "allows 1 pairs on a connection; this one has 2" in payload(said)["msg"]


def test_a_key_that_opens_nothing_any_more_ends_its_connection_and_is_charged_no_more(
    door: Door, spent: Callable[[], int]
) -> None:
    session, _ = come_in(door)
    door.take(holders={digest(KEY): replace(HOLDERS[digest(KEY)], revoked=True)})
    said = check(session, door, NOW + 60)
    assert said is not None
    assert (payload(said)["status"], said.close) == (401, 1008)
    assert spent() == 10
