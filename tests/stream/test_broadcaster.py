"""The broadcaster: it sends the newest prices, never a queue, and no client misses the last price."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import COINS, AssetKind
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.messages import PING_FRAME, StreamName
from cambist.stream.prices import Prices
from cambist.stream.subscription import PING_INTERVAL, StreamConnection

START = datetime(2026, 11, 18, 12, tzinfo=UTC)
CODES = ("BTC", "ETH", "SOL")
SYMBOLS = tuple(f"{code}USD" for code in CODES)
FRAME = re.compile(rb"\{[^}]*\}")


class Scene:
    """A broadcaster with a market and a clock that the test controls."""

    def __init__(self) -> None:
        self.at = 0.0
        self.version = 0
        self.prices = Prices({AssetKind.COIN: timedelta(minutes=15)}, lambda: self.now)
        self.broadcaster = Broadcaster(self.prices)
        self.quotes: dict[str, Quote] = {}
        self.publish(**dict.fromkeys(CODES, 100))

    @property
    def now(self) -> datetime:
        return START + timedelta(seconds=self.at)

    def publish(self, **bids: int) -> None:
        origin = Origin(Derivation.PUBLISHED, ("a",), pace=Pace.REALTIME)
        for code, bid in bids.items():
            self.quotes[code] = Quote(Pair(code, PIVOT), Fraction(bid), Fraction(bid + 1), self.now, self.now, origin)
        self.version += 1
        pairs = {quote.pair: quote for quote in self.quotes.values()}
        assert all(
            step is None
            for step in self.broadcaster.publish(
                RateBook.of(QuotedBook(self.version, self.now, self.quotes, (PIVOT,), pairs))
            )
        )

    def wait(self, seconds: float) -> None:
        self.at += seconds
        assert all(step is None for step in self.broadcaster.flush_all(self.at))


class FakeConnection:
    """A connection that can be paused and drained."""

    def __init__(
        self, world: Scene, symbols: tuple[str, ...] = SYMBOLS, stream: StreamName = StreamName.FX, limit: int = 10**6
    ) -> None:
        self.world, self.stream, self.limit = world, stream, limit
        self.writes: list[bytes] = []
        self.times: list[float] = []
        self.is_lost = False
        self.connection = StreamConnection(self, world.at)
        world.broadcaster.add(self.connection)
        self.subscribe(symbols)

    def subscribe(self, symbols: tuple[str, ...]) -> None:
        pairs, _ = self.world.prices.parse_pairs(symbols)
        self.world.broadcaster.subscribe(self.connection, self.stream, pairs, self.limit)
        self.world.broadcaster.flush(self.connection, self.world.at)

    def keep_only(self, symbols: tuple[str, ...]) -> None:
        pairs, _ = self.world.prices.parse_pairs(symbols)
        self.world.broadcaster.keep_only(self.connection, self.stream, pairs, self.limit)
        self.world.broadcaster.flush(self.connection, self.world.at)

    def write(self, frames: bytes) -> None:
        assert not self.connection.is_paused or frames == PING_FRAME, "nothing is written to a paused connection"
        self.writes.append(frames)
        self.times.append(self.world.at)

    def abort(self) -> None:
        self.is_lost = True
        self.world.broadcaster.remove(self.connection)

    def pause(self) -> None:
        self.world.broadcaster.pause(self.connection)

    def drain(self) -> None:
        self.world.broadcaster.resume(self.connection, self.world.at)

    def prices(self, since: int = 0) -> list[dict[str, Any]]:
        return [json.loads(found) for write in self.writes[since:] for found in FRAME.findall(write)]

    def last(self) -> dict[str, str]:
        return {one["sym"]: one["bid"] for one in self.prices()}


@pytest.fixture
def world() -> Scene:
    return Scene()


def newest(world: Scene) -> dict[str, str]:
    return {symbol: json.loads(FRAME.findall(world.prices.fresh_frame(symbol))[0])["bid"] for symbol in SYMBOLS}


def test_sent_prices_are_counted_in_every_way_of_sending(world: Scene) -> None:
    plain, other, limited = FakeConnection(world), FakeConnection(world, SYMBOLS[:1]), FakeConnection(world, limit=4)
    slow = FakeConnection(world, stream=StreamName.FX1S)
    world.publish(BTC=7, ETH=8)
    world.wait(2)
    sockets = (plain, other, limited, slow)
    assert world.broadcaster.prices_sent == sum(len(socket.prices()) for socket in sockets) > len(SYMBOLS) * 3 + 1
    assert world.broadcaster.pair_count == len(SYMBOLS)
    for socket in sockets:
        world.broadcaster.remove(socket.connection)
    assert world.broadcaster.pair_count == 0


@pytest.mark.parametrize("stream", list(StreamName))
def test_unsubscribing_from_a_pair_sends_nothing_of_the_others_until_they_change(
    world: Scene, stream: StreamName
) -> None:
    socket = FakeConnection(world, stream=stream)
    world.wait(2)
    count = len(socket.prices())
    socket.keep_only(SYMBOLS[1:])
    world.wait(2)
    assert len(socket.prices()) == count
    world.publish(BTC=7, ETH=8)
    world.wait(2)
    assert [one["sym"] for one in socket.prices()[count:]] == ["ETHUSD"]


def test_unsubscribing_while_paused_keeps_the_changes_of_other_pairs(world: Scene) -> None:
    socket = FakeConnection(world)
    socket.pause()
    world.publish(BTC=7, ETH=8, SOL=9)
    socket.keep_only(SYMBOLS[1:])
    socket.drain()
    world.wait(1)
    assert {one["sym"]: one["bid"] for one in socket.prices()[len(SYMBOLS) :]} == {
        "ETHUSD": "8.0000000",
        "SOLUSD": "9.0000000",
    }


def test_unsubscribing_from_all_ends_the_stream(world: Scene) -> None:
    socket = FakeConnection(world)
    socket.keep_only(())
    count = len(socket.prices())
    world.publish(BTC=7)
    world.wait(1)
    assert (len(socket.prices()), world.broadcaster.pair_count) == (count, 0)


def test_repeated_subscribing_sends_no_more_than_the_limit(world: Scene) -> None:
    """All prices are sent after each request to subscribe."""
    socket = FakeConnection(world, SYMBOLS[:1], limit=30)
    for turn in range(300):
        world.wait(0.01)
        socket.subscribe(SYMBOLS if turn % 2 else SYMBOLS[:1])
    assert len(socket.prices()) <= 30 + 3 * 30


def test_long_lists_let_the_event_loop_run_other_work(world: Scene) -> None:
    many = list(COINS)[:300]
    world.publish(**dict.fromkeys(many, 5))
    for _ in range(100):
        FakeConnection(world, tuple(f"{coin}USD" for coin in many))
    for coin in many:
        world.quotes[coin] = replace(world.quotes[coin], bid=Fraction(6), ask=Fraction(7))
    book = RateBook.of(
        QuotedBook(99, world.now, world.quotes, (PIVOT,), {quote.pair: quote for quote in world.quotes.values()})
    )
    assert sum(1 for _ in world.broadcaster.publish(book)) >= 1


def test_a_new_subscriber_gets_the_current_prices_at_once_in_one_write(world: Scene) -> None:
    socket = FakeConnection(world)
    assert len(socket.writes) == 1
    assert socket.prices()[0] == {
        "op": "price",
        "sym": "BTCUSD",
        "bid": "100.00000",
        "ask": "101.00000",
        "tsp": 1795003200000,
    }
    assert socket.last() == newest(world)


def test_only_changed_prices_are_sent_and_all_of_them_in_one_write(world: Scene) -> None:
    socket = FakeConnection(world)
    world.publish(ETH=105)
    assert [one["sym"] for one in socket.prices(1)] == ["ETHUSD"]
    world.publish(BTC=106, SOL=107)
    assert ([one["sym"] for one in socket.prices(2)], len(socket.writes)) == (["BTCUSD", "SOLUSD"], 3)


def test_a_frame_is_built_once_and_shared_by_all_connections(world: Scene) -> None:
    sockets = [FakeConnection(world) for _ in range(3)]
    world.publish(BTC=102)
    assert sockets[0].writes[-1] is sockets[1].writes[-1] is sockets[2].writes[-1]


def test_a_slow_client_gets_the_newest_price_and_never_a_queue(world: Scene) -> None:
    slow, quick = FakeConnection(world), FakeConnection(world)
    slow.pause()
    for bid in range(200, 300):
        world.publish(BTC=bid, ETH=bid + 1)
        world.wait(0.1)
    assert (len(slow.writes), len(quick.writes)) == (1, 101)
    slow.drain()
    assert [(one["sym"], one["bid"]) for one in slow.prices(1)] == [("BTCUSD", "299.00000"), ("ETHUSD", "300.00000")]


def test_fx1s_sends_at_most_one_price_a_second_and_pair_and_in_the_end_the_newest(world: Scene) -> None:
    socket = FakeConnection(world, stream=StreamName.FX1S)
    for bid in range(200, 235):
        world.publish(BTC=bid)
        world.wait(0.1)
    world.wait(1)
    assert len(socket.writes) == 5
    assert all(later - earlier >= 0.999 for earlier, later in zip(socket.times, socket.times[1:], strict=False))
    assert socket.last() == newest(world)


def test_subscribing_again_does_not_make_fx1s_faster(world: Scene) -> None:
    socket = FakeConnection(world, stream=StreamName.FX1S)
    for _ in range(10):
        socket.subscribe(SYMBOLS)
        world.wait(0.05)
    assert len(socket.writes) == 1
    world.wait(0.6)
    assert len(socket.writes) == 2


def test_no_more_prices_a_second_are_sent_than_the_plan_has_and_the_newest_win(world: Scene) -> None:
    socket = FakeConnection(world, limit=6)
    for bid in range(200, 250):
        world.publish(**dict.fromkeys(CODES, bid))
        world.wait(0.1)
    assert len(socket.prices()) <= 6 + 6 * 5
    assert len({one["sym"] for one in socket.prices(3)}) == 3
    world.wait(1)
    assert socket.last() == newest(world)


def test_after_unsubscribing_nothing_is_sent_and_nothing_is_kept_in_memory(world: Scene) -> None:
    socket = FakeConnection(world)
    socket.subscribe(())
    world.publish(BTC=102)
    assert len(socket.writes) == 1
    world.broadcaster.remove(socket.connection)
    assert (world.broadcaster._selections, world.broadcaster._subscriber_counts, world.prices._tracked) == ({}, {}, {})


def test_subscribing_again_replaces_the_first_subscription(world: Scene) -> None:
    socket = FakeConnection(world, ("BTCUSD",))
    socket.subscribe(("ETHUSD",))
    world.publish(BTC=102, ETH=103)
    assert [one["sym"] for one in socket.prices()] == ["BTCUSD", "ETHUSD", "ETHUSD"]


def test_a_price_that_is_not_fresh_is_not_sent(world: Scene) -> None:
    world.wait(16 * 60)
    socket = FakeConnection(world)
    assert socket.writes == []
    world.publish(BTC=102)
    assert [one["sym"] for one in socket.prices()] == ["BTCUSD"]


def test_a_price_that_grows_old_while_a_connection_is_paused_is_not_sent(world: Scene) -> None:
    socket = FakeConnection(world)
    socket.pause()
    world.publish(BTC=102)
    world.wait(16 * 60)
    socket.drain()
    assert len(socket.writes) == 1


def test_a_client_that_sends_nothing_between_two_pings_is_dropped(world: Scene) -> None:
    dead, alive = FakeConnection(world), FakeConnection(world)
    for _ in range(2):
        world.wait(PING_INTERVAL + 1)
        world.broadcaster.ping(world.at)
        world.broadcaster.mark_alive(alive.connection)
    assert (dead.is_lost, alive.is_lost) == (True, False)
    assert (world.broadcaster.connections_lost, world.broadcaster.connection_count) == (1, 1)
    assert PING_FRAME in alive.writes
    assert world.broadcaster.connection_count == 1


def test_a_long_list_is_sent_in_parts_that_stop_when_the_buffer_is_full(world: Scene) -> None:
    origin = Origin(Derivation.PUBLISHED, ("a",), pace=Pace.REALTIME)
    codes = [f"C{number}" for number in range(1200)]
    one = world.quotes["BTC"]
    pairs = {Pair("BTC", code): replace(one, pair=Pair("BTC", code), origin=origin) for code in codes}
    list(world.broadcaster.publish(RateBook.of(QuotedBook(2, world.now, world.quotes, (PIVOT,), pairs))))
    socket = FakeConnection(world, ())
    socket.write = lambda frames: (socket.writes.append(frames), socket.pause())[0]  # type: ignore[method-assign]
    socket.subscribe(tuple(f"BTC/{code}" for code in codes))
    assert len(socket.prices()) == 200
    for _ in range(5):
        socket.drain()
    assert len({one["sym"] for one in socket.prices()}) == 1200


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.dictionaries(st.sampled_from(CODES), st.integers(1, 9), min_size=1)),
        st.tuples(st.sampled_from(["pause", "drain", "pass"]), st.sampled_from([0.01, 0.1, 0.7])),
    ),
    max_size=40,
)


@pytest.mark.long
@settings(max_examples=200)
@given(STEPS, st.sampled_from(StreamName), st.sampled_from([2, 5, 10**6]))
def test_every_client_ends_with_the_newest_prices_and_gets_none_twice(
    steps: list[Any], stream: StreamName, limit: int
) -> None:
    world = Scene()
    socket = FakeConnection(world, stream=stream, limit=limit)
    for what, how in steps:
        if what == "publish":
            world.at += 0.001
            world.publish(**how)
        elif what == "pause":
            socket.pause()
        elif what == "drain":
            socket.drain()
        else:
            world.wait(how)
        assert all(
            len(subscription.pending) <= len(SYMBOLS) for subscription in socket.connection.subscriptions.values()
        )
    socket.drain()
    for _ in range(12):
        world.wait(0.5)
    assert socket.last() == newest(world)
    sent = [(one["sym"], one["tsp"]) for one in socket.prices()]
    assert sent == list(dict.fromkeys(sent))
