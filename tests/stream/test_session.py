"""A session: the messages of a client, and the replies to them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import Digest, digest, mint
from cambist.accounts.failed_keys import FAILURES_AT_ONCE
from cambist.accounts.keyless_access import with_page_account
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal, Principals
from cambist.history.corrections import no_feed
from cambist.pricing.pair import Pair
from cambist.stream.admission import MAX_UNAUTHENTICATED, StreamAdmission
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.context import StreamContext
from cambist.stream.corrections import CORRECTIONS, Corrections
from cambist.stream.feeds import Feed
from cambist.stream.prices import Prices, PriceStatus
from cambist.stream.rejection import Rejection
from cambist.stream.session import FRAME_BURST, Reply, Session
from cambist.stream.subscription import StreamConnection

NOW = 1_795_176_000.0
OWNER, PREMIUM, CHEAP, REVOKED, SUSPENDED, WRONG = (mint(lambda alphabet, at=at: alphabet[at]) for at in range(7, 13))
PLANS = read_plans(default_plans(), "plans.toml")
STORED_KEYS: dict[Digest, StoredKey] = {
    digest(OWNER): StoredKey(1, Account(1, "owner", "unlimited")),
    digest(PREMIUM): StoredKey(2, Account(2, "two", "premium")),
    digest(CHEAP): StoredKey(3, Account(3, "three", "one")),
    digest(REVOKED): StoredKey(4, Account(1, "owner", "unlimited"), revoked=True),
    digest(SUSPENDED): StoredKey(5, Account(4, "four", "premium", suspended=True)),
}
ME = "203.0.113.5"
KNOWN = {"EURUSD": Pair("EUR", "USD"), "XAUUSD": Pair("XAU", "USD"), "BTCUSD": Pair("BTC", "USD")}
MANY = {f"AAA{number}": Pair("AAA", str(number)) for number in range(10_001)}


class KnownPairs(Prices):
    """Prices of some pairs without a book, with an age that the test sets."""

    age: float | None = 0.1

    def parse_pairs(self, names: Iterable[str]) -> tuple[dict[str, Pair], list[str]]:
        all_pairs = KNOWN | MANY
        found = {name.replace("/", "").upper(): name for name in names}
        authenticated = {symbol: all_pairs[symbol] for symbol in found if symbol in all_pairs}
        return authenticated, [name for symbol, name in found.items() if symbol not in all_pairs]

    def status(self, now: float) -> PriceStatus:
        assert now == NOW
        return PriceStatus(7, self.age)


class UnusedWriter:
    """A writer that must not be used, because there is no book."""

    def write(self, frames: bytes) -> None:
        raise AssertionError(frames)

    def abort(self) -> None:
        raise AssertionError


def empty_feeds() -> dict[str, Feed]:
    """Return the stream of corrections of an empty archive."""
    return {CORRECTIONS: Corrections(no_feed, lambda: datetime.fromtimestamp(NOW, UTC).date())}


@pytest.fixture
def prices() -> KnownPairs:
    return KnownPairs({}, lambda: datetime.fromtimestamp(NOW, UTC))


@pytest.fixture
def context(ledger: Any, prices: KnownPairs) -> StreamContext:
    billing = Billing(Meter(ledger, {}))
    admission = StreamAdmission(Principals(STORED_KEYS, PLANS), billing)
    return StreamContext(admission, billing, prices, Broadcaster(prices), empty_feeds())


@pytest.fixture
def admission(context: StreamContext) -> StreamAdmission:
    return context.admission


def new_session(context: StreamContext) -> Session:
    session = Session(context, StreamConnection(UnusedWriter(), 0.0))
    assert payload(session.open(ME, NOW))["msg"] == "Connected to Cambist"
    return session


@pytest.fixture
def session(context: StreamContext) -> Session:
    return new_session(context)


def subscribed(session: Session) -> dict[str, list[str]]:
    """Return what the broadcaster sends to a session, by stream."""
    subscriptions = session.connection.subscriptions
    return {stream: [*subscription.selection.symbols] for stream, subscription in subscriptions.items()}


def payload(reply: Reply) -> dict[str, Any]:
    frame = reply.frame
    found = json.loads(frame[{126: 4, 127: 10}.get(frame[1], 2) :])
    assert isinstance(found, dict)
    return found


def send(session: Session, **fields: Any) -> dict[str, Any]:
    return payload(session.handle(json.dumps(fields).encode(), NOW))


@pytest.fixture
def authenticated(session: Session) -> Session:
    assert send(session, op="auth", key=OWNER)["status"] == 200
    return session


# Keys


def test_a_key_is_accepted_with_the_text_that_clients_compare(session: Session) -> None:
    assert send(session, op="auth", key=OWNER) == {
        "op": "auth",
        "status": 200,
        "tsp": 1795176000000,
        "msg": "Authenticated OK",
    }


@pytest.mark.parametrize(
    ("key", "status"),
    [(WRONG, 401), (REVOKED, 401), (SUSPENDED, 401), ("nonsense", 401), ("", 401), (CHEAP, 403)],
)
def test_a_bad_key_is_refused_with_the_op_auth_and_the_connection_closed(
    session: Session, key: str, status: int
) -> None:
    reply = session.handle(json.dumps({"op": "auth", "key": key}).encode(), NOW)
    found = payload(reply)
    assert (found["op"], found["status"], reply.close_code) == ("auth", status, 1008)
    assert not key or key not in found["msg"]


def test_a_second_key_is_an_error_and_changes_nothing(authenticated: Session) -> None:
    found = send(authenticated, op="auth", key=WRONG)
    assert (found["op"], found["status"]) == ("error", 400)
    assert send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])["status"] == 200


@pytest.mark.parametrize("op", ["subscribe", "unsubscribe"])
def test_nothing_can_be_subscribed_without_a_key(session: Session, op: str) -> None:
    found = send(session, op=op, stream="fx", pairs=["EURUSD"])
    assert (found["op"], found["status"], subscribed(session)) == ("error", 401, {})


def test_an_account_has_as_many_connections_as_its_plan(context: StreamContext) -> None:
    most = PLANS["premium"].stream_connections
    sessions = [new_session(context) for _ in range(most + 1)]
    assert [send(each, op="auth", key=PREMIUM)["status"] for each in sessions] == [200] * most + [429]
    sessions[0].close()
    assert send(new_session(context), op="auth", key=PREMIUM)["status"] == 200


def test_guessing_keys_is_slowed_down_but_a_working_key_is_never_refused(context: StreamContext) -> None:
    found = [send(new_session(context), op="auth", key=WRONG)["status"] for _ in range(FAILURES_AT_ONCE + 1)]
    assert found == [401] * FAILURES_AT_ONCE + [429]
    assert send(new_session(context), op="auth", key=PREMIUM)["status"] == 200
    assert send(new_session(context), op="auth", key=OWNER)["status"] == 200


def test_one_address_may_have_only_so_many_connections_without_a_key(admission: StreamAdmission) -> None:
    assert all(admission.add_unauthenticated("2001:db8::1") for _ in range(MAX_UNAUTHENTICATED))
    assert not admission.add_unauthenticated("2001:db8::2")
    assert admission.add_unauthenticated("203.0.113.9")
    admission.remove_unauthenticated("2001:db8::1")
    admission.remove_unauthenticated("2001:db8::1")
    assert admission.add_unauthenticated("2001:db8::3")


def test_a_revoked_key_is_rejected(admission: StreamAdmission) -> None:
    assert isinstance(admission.lookup(digest(OWNER), NOW), Principal)
    admission.principals.update(
        stored_keys={digest(OWNER): StoredKey(1, Account(1, "owner", "unlimited"), revoked=True)}
    )
    assert isinstance(admission.lookup(digest(OWNER), NOW), Rejection)


# Subscribing


def test_a_stream_is_subscribed_with_the_texts_that_clients_compare(authenticated: Session) -> None:
    assert (
        send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD", "xau/usd"])["msg"] == "Subscribed to 1 stream"
    )
    assert send(authenticated, op="subscribe", stream="fx1s", pairs=["BTCUSD"])["msg"] == "Subscribed to 2 streams"
    assert subscribed(authenticated) == {"fx": ["EURUSD", "XAUUSD"], "fx1s": ["BTCUSD"]}


def test_subscribing_again_replaces_the_pairs_of_that_stream(authenticated: Session) -> None:
    send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])
    assert send(authenticated, op="subscribe", stream="fx", pairs=["BTCUSD"])["msg"] == "Subscribed to 1 stream"
    assert subscribed(authenticated)["fx"] == ["BTCUSD"]


def test_unknown_pairs_among_known_ones_are_named_beside_the_exact_text(authenticated: Session) -> None:
    found = send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD", "NOPE"])
    assert (found["msg"], found["ignored"]) == ("Subscribed to 1 stream", ["NOPE"])


@pytest.mark.parametrize("pairs", [["NOPE"], [], None, "", [""]])
def test_subscribing_only_to_unknown_pairs_is_400_and_changes_nothing(authenticated: Session, pairs: Any) -> None:
    send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])
    found = send(authenticated, op="subscribe", stream="fx", pairs=pairs)
    assert (found["op"], found["status"]) == ("subscribe", 400)
    assert "No valid pairs" in found["msg"]
    assert subscribed(authenticated)["fx"] == ["EURUSD"]


def test_more_pairs_than_the_plan_allows_are_refused_whole(authenticated: Session) -> None:
    found = send(authenticated, op="subscribe", stream="fx", pairs=list(MANY))
    assert (found["op"], found["status"], subscribed(authenticated)) == ("subscribe", 429, {})
    assert send(authenticated, op="subscribe", stream="fx", pairs=list(MANY)[:10_000])["status"] == 200
    assert send(authenticated, op="subscribe", stream="fx1s", pairs=["EURUSD"])["status"] == 429
    assert send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])["status"] == 200


@pytest.mark.parametrize("stream", ["", "fx2", "x" * 1000])
def test_an_unknown_stream_is_400(authenticated: Session, stream: str) -> None:
    found = send(authenticated, op="subscribe", stream=stream, pairs=["EURUSD"])
    assert (found["op"], found["status"]) == ("subscribe", 400)
    assert "fx, fx1s" in found["msg"]


def test_pairs_a_stream_and_everything_can_be_unsubscribed(authenticated: Session) -> None:
    for stream in ("fx", "fx1s"):
        send(authenticated, op="subscribe", stream=stream, pairs=list(KNOWN))
    assert send(authenticated, op="unsubscribe", stream="fx", pairs=["EUR/USD"])["msg"] == "Unsubscribed from 1 pair"
    assert subscribed(authenticated)["fx"] == ["BTCUSD", "XAUUSD"]
    assert send(authenticated, op="unsubscribe", stream="fx")["msg"] == "Unsubscribed from 2 pairs"
    assert send(authenticated, op="unsubscribe")["msg"] == "Unsubscribed from 3 pairs"
    assert send(authenticated, op="unsubscribe", stream="x")["status"] == 400
    assert subscribed(authenticated) == {}
    assert send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])["msg"] == "Subscribed to 1 stream"


# The rest


def test_status_says_whether_prices_are_live(authenticated: Session, prices: KnownPairs) -> None:
    send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD"])
    found = send(authenticated, op="status")
    assert (found["status"], found["msg"], found["age_ms"]) == (200, "Prices flow", 100)
    assert found["streams"] == {"fx": ["EURUSD"]}
    prices.age = 42.0
    found = send(authenticated, op="status")
    assert (found["status"], found["msg"]) == (503, "Prices stand still: the newest book is 42 s old")
    prices.age = None
    assert send(authenticated, op="status")["status"] == 503


def test_a_client_that_shuts_down_gets_a_normal_close(authenticated: Session) -> None:
    reply = authenticated.handle(b'{"op":"shutdown"}', NOW)
    assert (payload(reply)["op"], reply.close_code) == ("shutdown", 1000)


@pytest.mark.parametrize(
    "text", [b"garbage", b"[]", b'{"op":"price"}', b'{"op":"connect"}', b'{"op":""}', b'{"op":"dance"}']
)
def test_an_unknown_message_gets_an_error(authenticated: Session, text: bytes) -> None:
    reply = authenticated.handle(text, NOW)
    assert (payload(reply)["op"], payload(reply)["status"], reply.close_code) == ("error", 400, None)


def test_binary_and_too_long_frames_are_closed_with_their_codes(session: Session) -> None:
    assert (payload(session.reject_binary(NOW))["op"], session.reject_binary(NOW).close_code) == ("error", 1003)
    assert (payload(session.reject_too_big(NOW, 9))["status"], session.reject_too_big(NOW, 9).close_code) == (413, 1009)


def test_too_many_frames_close_the_connection(authenticated: Session) -> None:
    assert [authenticated.count_frames(NOW) for _ in range(FRAME_BURST)] == [None] * FRAME_BURST
    reply = authenticated.count_frames(NOW)
    assert reply is not None
    assert (payload(reply)["status"], reply.close_code) == (429, 1008)
    assert authenticated.count_frames(NOW + 1) is None


def test_long_lists_count_as_many_frames(authenticated: Session) -> None:
    names, reply = list(MANY)[:10_000], []
    for _ in range(10):
        found = authenticated.handle(json.dumps({"op": "subscribe", "stream": "fx", "pairs": names}).encode(), NOW)
        reply.append((payload(found)["status"], found.close_code))
    assert reply == [(200, None)] * 5 + [(429, 1008)] * 5


def test_far_more_names_than_the_plan_has_pairs_are_refused_without_parsing_them(
    context: StreamContext, prices: KnownPairs
) -> None:
    session = new_session(context)
    assert send(session, op="auth", key=PREMIUM)["status"] == 200
    most = PLANS["premium"].stream_pairs
    prices.parse_pairs = None  # type: ignore[assignment, method-assign]  whoever looks a name up fails
    found = send(session, op="subscribe", stream="fx", pairs=[f"NO{number}" for number in range(most + 201)])
    assert (found["op"], found["status"]) == ("subscribe", 429)
    assert f"Too many pairs: [{most + 201}], the plan allows {most}" in found["msg"]


def test_all_unknown_names_are_listed(authenticated: Session) -> None:
    unknown = [f"NOPE{number}" for number in range(150)]
    assert send(authenticated, op="subscribe", stream="fx", pairs=["EURUSD", *unknown])["ignored"] == unknown


def open_to_visitors(context: StreamContext, account: Account) -> Session:
    context.admission.principals.update(stored_keys=with_page_account(STORED_KEYS, account))
    session = new_session(context)
    session.is_from_page = True
    return session


def test_a_visitor_of_an_open_page_needs_no_key(context: StreamContext) -> None:
    session = open_to_visitors(context, Account(2, "two", "premium"))
    assert send(session, op="auth")["status"] == 200
    assert session.principal is not None
    assert session.principal.account.name == "two"
    assert session.renew(NOW) is None


def test_a_visitor_of_a_page_that_is_not_open_needs_a_key(context: StreamContext) -> None:
    session = new_session(context)
    session.is_from_page = True
    assert send(session, op="auth") == {
        "op": "auth",
        "status": 401,
        "tsp": 1795176000000,
        "msg": "No API key: send it as [key]",
    }


def test_who_does_not_come_from_the_page_needs_a_key(context: StreamContext) -> None:
    session = open_to_visitors(context, Account(2, "two", "premium"))
    session.is_from_page = False
    assert send(session, op="auth", key="")["status"] == 401


def test_a_suspended_account_of_the_page_is_named_in_words(context: StreamContext) -> None:
    session = open_to_visitors(context, Account(4, "four", "premium", suspended=True))
    assert send(session, op="auth")["msg"] == "The account is suspended; its operator can say why"
