"""A session: what a client says, and what it is answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cambist.accounts.account import Account, Holder
from cambist.accounts.api_key import Digest, digest, mint
from cambist.accounts.bearer import Bearer
from cambist.accounts.failed_keys import FAILURES_AT_ONCE
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.market.pair import Pair
from cambist.stream.door import MOST_STRANGERS, Door, Refused
from cambist.stream.messages import StreamName
from cambist.stream.session import ASKED_AT_ONCE, Said, Session, State

NOW = 1_795_176_000.0
OWNER, PREMIUM, CHEAP, REVOKED, SUSPENDED, WRONG = (mint(lambda alphabet, at=at: alphabet[at]) for at in range(7, 13))
PLANS = read_plans(default_plans(), "plans.toml")
HOLDERS: dict[Digest, Holder] = {
    digest(OWNER): Holder(1, Account(1, "owner", "unlimited")),
    digest(PREMIUM): Holder(2, Account(2, "two", "premium")),
    digest(CHEAP): Holder(3, Account(3, "three", "one")),
    digest(REVOKED): Holder(4, Account(1, "owner", "unlimited"), revoked=True),
    digest(SUSPENDED): Holder(5, Account(4, "four", "premium", suspended=True)),
}
ME = "203.0.113.5"
KNOWN = {"EURUSD": Pair("EUR", "USD"), "XAUUSD": Pair("XAU", "USD"), "BTCUSD": Pair("BTC", "USD")}
MANY = {f"AAA{number}": Pair("AAA", str(number)) for number in range(10_001)}


class House:
    """What a session asks, without a network."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.selected: dict[StreamName, Mapping[str, Pair]] = {}
        self.silence: float | None = 0.1

    def admit(self, digest: Digest, now: float) -> Bearer | Refused:
        return self.door.admit(digest, ME, now)

    def charge(self, bearer: Bearer, now: float) -> Refused | None:
        return self.door.charge(bearer, now)

    def pairs(self, names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        all_of_them = KNOWN | MANY
        found = {name.replace("/", "").upper(): name for name in names}
        known = {symbol: all_of_them[symbol] for symbol in found if symbol in all_of_them}
        return known, [name for symbol, name in found.items() if symbol not in all_of_them]

    def select(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        self.selected[stream] = pairs

    def reduce(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        assert set(pairs) < set(self.selected.get(stream, {})) or not pairs
        self.selected[stream] = pairs

    def state(self) -> State:
        return State(7, self.silence, 15.0)


@pytest.fixture
def door(ledger: Any) -> Door:
    return Door(HOLDERS, PLANS, Meter(ledger, {}))


@pytest.fixture
def house(door: Door) -> House:
    return House(door)


@pytest.fixture
def session(house: House) -> Session:
    return Session(house)


def payload(said: Said) -> dict[str, Any]:
    frame = said.frame
    found = json.loads(frame[{126: 4, 127: 10}.get(frame[1], 2) :])
    assert isinstance(found, dict)
    return found


def say(session: Session, **fields: Any) -> dict[str, Any]:
    return payload(session.hear(json.dumps(fields).encode(), NOW))


@pytest.fixture
def known(session: Session) -> Session:
    assert say(session, op="auth", key=OWNER)["status"] == 200
    return session


# Keys


def test_a_key_lets_in_with_the_text_that_clients_compare(session: Session) -> None:
    assert say(session, op="auth", key=OWNER) == {
        "op": "auth",
        "status": 200,
        "tsp": 1795176000000,
        "msg": "Authenticated OK",
    }


@pytest.mark.parametrize(
    ("key", "status"),
    [(WRONG, 401), (REVOKED, 401), (SUSPENDED, 401), ("nonsense", 401), ("", 401), (CHEAP, 403)],
)
def test_a_key_that_opens_nothing_is_refused_by_its_own_op_and_closed(session: Session, key: str, status: int) -> None:
    said = session.hear(json.dumps({"op": "auth", "key": key}).encode(), NOW)
    found = payload(said)
    assert (found["op"], found["status"], said.close) == ("auth", status, 1008)
    assert not key or key not in found["msg"]


def test_twice_is_an_error_and_changes_nothing(known: Session) -> None:
    found = say(known, op="auth", key=WRONG)
    assert (found["op"], found["status"]) == ("error", 400)
    assert say(known, op="subscribe", stream="fx", pairs=["EURUSD"])["status"] == 200


@pytest.mark.parametrize("op", ["subscribe", "unsubscribe"])
def test_nothing_is_subscribed_before_a_key(session: Session, house: House, op: str) -> None:
    found = say(session, op=op, stream="fx", pairs=["EURUSD"])
    assert (found["op"], found["status"], house.selected) == ("error", 401, {})


def test_an_account_has_as_many_connections_as_its_plan(house: House, door: Door) -> None:
    most = PLANS["premium"].stream_connections
    sessions = [Session(house) for _ in range(most + 1)]
    assert [say(each, op="auth", key=PREMIUM)["status"] for each in sessions] == [200] * most + [429]
    assert sessions[0].bearer is not None
    door.leave(sessions[0].bearer)
    assert say(Session(house), op="auth", key=PREMIUM)["status"] == 200


def test_guessing_is_slowed_down_and_who_is_known_there_is_not_disturbed(house: House, session: Session) -> None:
    assert say(session, op="auth", key=OWNER)["status"] == 200
    found = [say(Session(house), op="auth", key=WRONG)["status"] for _ in range(FAILURES_AT_ONCE + 1)]
    assert found == [401] * FAILURES_AT_ONCE + [429]
    assert say(Session(house), op="auth", key=PREMIUM)["status"] == 429
    assert say(Session(house), op="auth", key=OWNER)["status"] == 200


def test_only_so_many_strangers_come_from_one_address(door: Door) -> None:
    assert all(door.knock("2001:db8::1") for _ in range(MOST_STRANGERS))
    assert not door.knock("2001:db8::2")
    assert door.knock("203.0.113.9")
    door.gone("2001:db8::1")
    door.gone("2001:db8::1")
    assert door.knock("2001:db8::3")


def test_a_key_that_is_revoked_opens_nothing_any_more(door: Door) -> None:
    assert isinstance(door.look(digest(OWNER), NOW), Bearer)
    door.take(holders={digest(OWNER): Holder(1, Account(1, "owner", "unlimited"), revoked=True)})
    assert isinstance(door.look(digest(OWNER), NOW), Refused)


# Subscribing


def test_a_stream_is_subscribed_with_the_texts_that_clients_compare(known: Session, house: House) -> None:
    assert say(known, op="subscribe", stream="fx", pairs=["EURUSD", "xau/usd"])["msg"] == "Subscribed to 1 stream"
    assert say(known, op="subscribe", stream="fx1s", pairs=["BTCUSD"])["msg"] == "Subscribed to 2 streams"
    assert {name: list(pairs) for name, pairs in house.selected.items()} == {
        "fx": ["EURUSD", "XAUUSD"],
        "fx1s": ["BTCUSD"],
    }


def test_again_replaces_the_pairs_of_that_stream(known: Session, house: House) -> None:
    say(known, op="subscribe", stream="fx", pairs=["EURUSD"])
    assert say(known, op="subscribe", stream="fx", pairs=["BTCUSD"])["msg"] == "Subscribed to 1 stream"
    assert list(house.selected[StreamName.FX]) == ["BTCUSD"]


def test_unknown_pairs_among_known_ones_are_named_beside_the_exact_text(known: Session) -> None:
    found = say(known, op="subscribe", stream="fx", pairs=["EURUSD", "NOPE"])
    assert (found["msg"], found["ignored"]) == ("Subscribed to 1 stream", ["NOPE"])


@pytest.mark.parametrize("pairs", [["NOPE"], [], None, "", [""]])
def test_no_known_pair_is_400_and_changes_nothing(known: Session, house: House, pairs: Any) -> None:
    say(known, op="subscribe", stream="fx", pairs=["EURUSD"])
    found = say(known, op="subscribe", stream="fx", pairs=pairs)
    assert (found["op"], found["status"]) == ("subscribe", 400)
    assert "No valid pairs" in found["msg"]
    assert list(house.selected[StreamName.FX]) == ["EURUSD"]


def test_more_pairs_than_the_plan_allows_are_refused_whole(known: Session, house: House) -> None:
    found = say(known, op="subscribe", stream="fx", pairs=list(MANY))
    assert (found["op"], found["status"], house.selected) == ("subscribe", 429, {})
    assert say(known, op="subscribe", stream="fx", pairs=list(MANY)[:10_000])["status"] == 200
    assert say(known, op="subscribe", stream="fx1s", pairs=["EURUSD"])["status"] == 429
    assert say(known, op="subscribe", stream="fx", pairs=["EURUSD"])["status"] == 200


@pytest.mark.parametrize("stream", ["", "fx2", "x" * 1000])
def test_an_unknown_stream_is_400(known: Session, stream: str) -> None:
    found = say(known, op="subscribe", stream=stream, pairs=["EURUSD"])
    assert (found["op"], found["status"]) == ("subscribe", 400)
    assert "fx, fx1s" in found["msg"]


def test_pairs_streams_and_all_can_be_ended(known: Session, house: House) -> None:
    for stream in ("fx", "fx1s"):
        say(known, op="subscribe", stream=stream, pairs=list(KNOWN))
    assert say(known, op="unsubscribe", stream="fx", pairs=["EUR/USD"])["msg"] == "Unsubscribed from 1 pair"
    assert list(house.selected[StreamName.FX]) == ["XAUUSD", "BTCUSD"]
    assert say(known, op="unsubscribe", stream="fx")["msg"] == "Unsubscribed from 2 pairs"
    assert say(known, op="unsubscribe")["msg"] == "Unsubscribed from 3 pairs"
    assert say(known, op="unsubscribe", stream="x")["status"] == 400
    assert not any(house.selected.values())
    assert say(known, op="subscribe", stream="fx", pairs=["EURUSD"])["msg"] == "Subscribed to 1 stream"


# The rest


def test_status_says_whether_prices_flow(known: Session, house: House) -> None:
    say(known, op="subscribe", stream="fx", pairs=["EURUSD"])
    found = say(known, op="status")
    assert (found["status"], found["msg"], found["age_ms"]) == (200, "Prices flow", 100)
    assert found["streams"] == {"fx": ["EURUSD"]}
    house.silence = 42.0
    found = say(known, op="status")
    assert (found["status"], found["msg"]) == (503, "Prices stand still: the newest book is 42 s old")
    house.silence = None
    assert say(known, op="status")["status"] == 503


def test_a_client_that_shuts_down_is_closed_in_order(known: Session) -> None:
    said = known.hear(b'{"op":"shutdown"}', NOW)
    assert (payload(said)["op"], said.close) == ("shutdown", 1000)


@pytest.mark.parametrize(
    "text", [b"garbage", b"[]", b'{"op":"price"}', b'{"op":"connect"}', b'{"op":""}', b'{"op":"dance"}']
)
def test_what_is_not_understood_is_answered_with_an_error(known: Session, text: bytes) -> None:
    said = known.hear(text, NOW)
    assert (payload(said)["op"], payload(said)["status"], said.close) == ("error", 400, None)


def test_binary_and_endless_frames_are_closed_with_their_codes(session: Session) -> None:
    assert (payload(session.binary(NOW))["op"], session.binary(NOW).close) == ("error", 1003)
    assert (payload(session.too_big(NOW, 9))["status"], session.too_big(NOW, 9).close) == (413, 1009)


def test_a_flood_of_frames_is_closed(known: Session) -> None:
    assert [known.count(NOW) for _ in range(ASKED_AT_ONCE)] == [None] * ASKED_AT_ONCE
    said = known.count(NOW)
    assert said is not None
    assert (payload(said)["status"], said.close) == (429, 1008)
    assert known.count(NOW + 1) is None


def test_long_lists_count_as_many_frames(known: Session) -> None:
    names, said = list(MANY)[:10_000], []
    for _ in range(10):
        found = known.hear(json.dumps({"op": "subscribe", "stream": "fx", "pairs": names}).encode(), NOW)
        said.append((payload(found)["status"], found.close))
    assert said == [(200, None)] * 5 + [(429, 1008)] * 5


def test_far_more_names_than_the_plan_has_pairs_are_not_even_looked_up(house: House) -> None:
    session = Session(house)
    assert say(session, op="auth", key=PREMIUM)["status"] == 200
    most = PLANS["premium"].stream_pairs
    house.pairs = None  # type: ignore[assignment, method-assign]  whoever looks a name up fails
    found = say(session, op="subscribe", stream="fx", pairs=[f"NO{number}" for number in range(most + 201)])
    assert (found["op"], found["status"]) == ("subscribe", 429)
    assert f"Too many pairs: [{most + 201}], the plan allows {most}" in found["msg"]


def test_all_unknown_names_are_told(known: Session) -> None:
    unknown = [f"NOPE{number}" for number in range(150)]
    assert say(known, op="subscribe", stream="fx", pairs=["EURUSD", *unknown])["ignored"] == unknown
