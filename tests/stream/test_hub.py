"""The hub: always the newest price, never a queue, and in the end none is lost."""

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

from cambist.market.book import Book
from cambist.market.pair import PIVOT, Pair
from cambist.market.quote import Made, Origin, Quote
from cambist.market.standing import Pace
from cambist.reference.assets import COINS, AssetKind
from cambist.stream.hub import Hub
from cambist.stream.lanes import PING_EVERY, Reader
from cambist.stream.messages import PING, StreamName
from cambist.stream.prices import Prices

START = datetime(2026, 11, 18, 12, tzinfo=UTC)
CODES = ("BTC", "ETH", "SOL")
SYMBOLS = tuple(f"{code}USD" for code in CODES)
FRAME = re.compile(rb"\{[^}]*\}")


class World:
    """A market, a clock, and a hub."""

    def __init__(self) -> None:
        self.at = 0.0
        self.version = 0
        self.prices = Prices({AssetKind.COIN: timedelta(minutes=15)}, lambda: self.now)
        self.hub = Hub(self.prices)
        self.quotes: dict[str, Quote] = {}
        self.publish(**dict.fromkeys(CODES, 100))

    @property
    def now(self) -> datetime:
        return START + timedelta(seconds=self.at)

    def publish(self, **bids: int) -> None:
        origin = Origin(Made.PUBLISHED, ("a",), pace=Pace.REALTIME)
        for code, bid in bids.items():
            self.quotes[code] = Quote(Pair(code, PIVOT), Fraction(bid), Fraction(bid + 1), self.now, self.now, origin)
        self.version += 1
        pairs = {quote.pair: quote for quote in self.quotes.values()}
        assert all(step is None for step in self.hub.take(Book(self.version, self.now, self.quotes, (PIVOT,), pairs)))

    def pass_by(self, seconds: float) -> None:
        self.at += seconds
        assert all(step is None for step in self.hub.settle(self.at))


class Socket:
    """A connection that takes so many writes and then no more, until it drains."""

    def __init__(
        self, world: World, symbols: tuple[str, ...] = SYMBOLS, stream: StreamName = StreamName.FX, limit: int = 10**6
    ) -> None:
        self.world, self.stream, self.limit = world, stream, limit
        self.writes: list[bytes] = []
        self.times: list[float] = []
        self.is_lost = False
        self.reader = Reader(self, world.at)
        world.hub.join(self.reader)
        self.choose(symbols)

    def choose(self, symbols: tuple[str, ...]) -> None:
        known, _ = self.world.prices.pairs(symbols)
        self.world.hub.select(self.reader, self.stream, known, self.limit)
        self.world.hub.pay(self.reader, self.world.at)

    def keep(self, symbols: tuple[str, ...]) -> None:
        known, _ = self.world.prices.pairs(symbols)
        self.world.hub.reduce(self.reader, self.stream, known, self.limit)
        self.world.hub.pay(self.reader, self.world.at)

    def write(self, frames: bytes) -> None:
        assert not self.reader.is_paused or frames == PING, "nothing is written to one that takes nothing"
        self.writes.append(frames)
        self.times.append(self.world.at)

    def lost(self) -> None:
        self.is_lost = True
        self.world.hub.leave(self.reader)

    def stop(self) -> None:
        self.world.hub.paused(self.reader)

    def drain(self) -> None:
        self.world.hub.resumed(self.reader, self.world.at)

    def prices(self, since: int = 0) -> list[dict[str, Any]]:
        return [json.loads(found) for write in self.writes[since:] for found in FRAME.findall(write)]

    def last(self) -> dict[str, str]:
        return {one["sym"]: one["bid"] for one in self.prices()}


@pytest.fixture
def world() -> World:
    return World()


def newest(world: World) -> dict[str, str]:
    return {symbol: json.loads(FRAME.findall(world.prices.frame(symbol))[0])["bid"] for symbol in SYMBOLS}


def test_what_is_told_is_counted_by_prices_however_it_is_written(world: World) -> None:
    plain, other, limited = Socket(world), Socket(world, SYMBOLS[:1]), Socket(world, limit=4)
    slow = Socket(world, stream=StreamName.FX1S)
    world.publish(BTC=7, ETH=8)
    world.pass_by(2)
    sockets = (plain, other, limited, slow)
    assert world.hub.told == sum(len(socket.prices()) for socket in sockets) > len(SYMBOLS) * 3 + 1
    assert world.hub.pairs == len(SYMBOLS)
    for socket in sockets:
        world.hub.leave(socket.reader)
    assert world.hub.pairs == 0


@pytest.mark.parametrize("stream", list(StreamName))
def test_unsubscribing_from_a_pair_sends_nothing_of_the_others_until_they_change(
    world: World, stream: StreamName
) -> None:
    socket = Socket(world, stream=stream)
    world.pass_by(2)
    count = len(socket.prices())
    socket.keep(SYMBOLS[1:])
    world.pass_by(2)
    assert len(socket.prices()) == count
    world.publish(BTC=7, ETH=8)
    world.pass_by(2)
    assert [one["sym"] for one in socket.prices()[count:]] == ["ETHUSD"]


def test_unsubscribing_while_nothing_can_be_written_loses_no_change_of_the_others(world: World) -> None:
    socket = Socket(world)
    socket.stop()
    world.publish(BTC=7, ETH=8, SOL=9)
    socket.keep(SYMBOLS[1:])
    socket.drain()
    world.pass_by(1)
    assert {one["sym"]: one["bid"] for one in socket.prices()[len(SYMBOLS) :]} == {
        "ETHUSD": "8.0000000",
        "SOLUSD": "9.0000000",
    }


def test_unsubscribing_from_all_ends_the_stream(world: World) -> None:
    socket = Socket(world)
    socket.keep(())
    count = len(socket.prices())
    world.publish(BTC=7)
    world.pass_by(1)
    assert (len(socket.prices()), world.hub.pairs) == (count, 0)


def test_whoever_chooses_again_and_again_gets_no_more_than_the_limit(world: World) -> None:
    """Each choice brings all prices at once."""
    socket = Socket(world, SYMBOLS[:1], limit=30)
    for turn in range(300):
        world.pass_by(0.01)
        socket.choose(SYMBOLS if turn % 2 else SYMBOLS[:1])
    assert len(socket.prices()) <= 30 + 3 * 30


def test_long_lists_leave_the_loop_its_turns(world: World) -> None:
    many = list(COINS)[:300]
    world.publish(**dict.fromkeys(many, 5))
    for _ in range(100):
        Socket(world, tuple(f"{coin}USD" for coin in many))
    for coin in many:
        world.quotes[coin] = replace(world.quotes[coin], bid=Fraction(6), ask=Fraction(7))
    book = Book(99, world.now, world.quotes, (PIVOT,), {quote.pair: quote for quote in world.quotes.values()})
    assert sum(1 for _ in world.hub.take(book)) >= 1


def test_a_new_subscriber_gets_the_current_prices_at_once_in_one_write(world: World) -> None:
    socket = Socket(world)
    assert len(socket.writes) == 1
    assert socket.prices()[0] == {
        "op": "price",
        "sym": "BTCUSD",
        "bid": "100.00000",
        "ask": "101.00000",
        "tsp": 1795003200000,
    }
    assert socket.last() == newest(world)


def test_only_what_has_changed_is_told_and_all_of_it_in_one_write(world: World) -> None:
    socket = Socket(world)
    world.publish(ETH=105)
    assert [one["sym"] for one in socket.prices(1)] == ["ETHUSD"]
    world.publish(BTC=106, SOL=107)
    assert ([one["sym"] for one in socket.prices(2)], len(socket.writes)) == (["BTCUSD", "SOLUSD"], 3)


def test_a_frame_is_made_once_and_shared_by_all(world: World) -> None:
    sockets = [Socket(world) for _ in range(3)]
    world.publish(BTC=102)
    assert sockets[0].writes[-1] is sockets[1].writes[-1] is sockets[2].writes[-1]


def test_a_slow_reader_gets_the_newest_price_and_never_a_queue(world: World) -> None:
    slow, quick = Socket(world), Socket(world)
    slow.stop()
    for bid in range(200, 300):
        world.publish(BTC=bid, ETH=bid + 1)
        world.pass_by(0.1)
    assert (len(slow.writes), len(quick.writes)) == (1, 101)
    slow.drain()
    assert [(one["sym"], one["bid"]) for one in slow.prices(1)] == [("BTCUSD", "299.00000"), ("ETHUSD", "300.00000")]


def test_the_second_stream_tells_at_most_one_a_second_and_pair_and_in_the_end_the_newest(world: World) -> None:
    socket = Socket(world, stream=StreamName.FX1S)
    for bid in range(200, 235):
        world.publish(BTC=bid)
        world.pass_by(0.1)
    world.pass_by(1)
    assert len(socket.writes) == 5
    assert all(later - earlier >= 0.999 for earlier, later in zip(socket.times, socket.times[1:], strict=False))
    assert socket.last() == newest(world)


def test_to_subscribe_again_brings_the_second_stream_no_faster(world: World) -> None:
    socket = Socket(world, stream=StreamName.FX1S)
    for _ in range(10):
        socket.choose(SYMBOLS)
        world.pass_by(0.05)
    assert len(socket.writes) == 1
    world.pass_by(0.6)
    assert len(socket.writes) == 2


def test_no_more_prices_a_second_than_the_plan_has_and_the_newest_win(world: World) -> None:
    socket = Socket(world, limit=6)
    for bid in range(200, 250):
        world.publish(**dict.fromkeys(CODES, bid))
        world.pass_by(0.1)
    assert len(socket.prices()) <= 6 + 6 * 5
    assert len({one["sym"] for one in socket.prices(3)}) == 3
    world.pass_by(1)
    assert socket.last() == newest(world)


def test_who_has_unsubscribed_gets_nothing_more_and_nothing_is_kept(world: World) -> None:
    socket = Socket(world)
    socket.choose(())
    world.publish(BTC=102)
    assert len(socket.writes) == 1
    world.hub.leave(socket.reader)
    assert (world.hub._selections, world.hub._heard, world.prices._told) == ({}, {}, {})


def test_another_choice_takes_the_place_of_the_first(world: World) -> None:
    socket = Socket(world, ("BTCUSD",))
    socket.choose(("ETHUSD",))
    world.publish(BTC=102, ETH=103)
    assert [one["sym"] for one in socket.prices()] == ["BTCUSD", "ETHUSD", "ETHUSD"]


def test_a_price_that_is_not_fresh_is_not_told(world: World) -> None:
    world.pass_by(16 * 60)
    socket = Socket(world)
    assert socket.writes == []
    world.publish(BTC=102)
    assert [one["sym"] for one in socket.prices()] == ["BTCUSD"]


def test_what_grows_old_while_a_reader_takes_nothing_is_not_told(world: World) -> None:
    socket = Socket(world)
    socket.stop()
    world.publish(BTC=102)
    world.pass_by(16 * 60)
    socket.drain()
    assert len(socket.writes) == 1


def test_whoever_gives_no_sign_of_life_between_two_pings_is_ended(world: World) -> None:
    dead, alive = Socket(world), Socket(world)
    for _ in range(2):
        world.pass_by(PING_EVERY + 1)
        world.hub.ping(world.at)
        world.hub.heard(alive.reader)
    assert (dead.is_lost, alive.is_lost) == (True, False)
    assert (world.hub.lost, len(world.hub)) == (1, 1)
    assert PING in alive.writes
    assert len(world.hub) == 1


def test_a_long_list_goes_out_in_parts_that_stop_when_nothing_more_is_taken(world: World) -> None:
    origin = Origin(Made.PUBLISHED, ("a",), pace=Pace.REALTIME)
    codes = [f"C{number}" for number in range(1200)]
    one = world.quotes["BTC"]
    pairs = {Pair("BTC", code): replace(one, pair=Pair("BTC", code), origin=origin) for code in codes}
    list(world.hub.take(Book(2, world.now, world.quotes, (PIVOT,), pairs)))
    socket = Socket(world, ())
    socket.write = lambda frames: (socket.writes.append(frames), socket.stop())[0]  # type: ignore[method-assign]
    socket.choose(tuple(f"BTC/{code}" for code in codes))
    assert len(socket.prices()) == 200
    for _ in range(5):
        socket.drain()
    assert len({one["sym"] for one in socket.prices()}) == 1200


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.dictionaries(st.sampled_from(CODES), st.integers(1, 9), min_size=1)),
        st.tuples(st.sampled_from(["stop", "drain", "pass"]), st.sampled_from([0.01, 0.1, 0.7])),
    ),
    max_size=40,
)


@settings(max_examples=200)
@given(STEPS, st.sampled_from(StreamName), st.sampled_from([2, 5, 10**6]))
def test_whatever_happens_no_price_is_lost_in_the_end_and_none_is_told_twice(
    steps: list[Any], stream: StreamName, limit: int
) -> None:
    world = World()
    socket = Socket(world, stream=stream, limit=limit)
    for what, how in steps:
        if what == "publish":
            world.at += 0.001
            world.publish(**how)
        elif what == "stop":
            socket.stop()
        elif what == "drain":
            socket.drain()
        else:
            world.pass_by(how)
        assert all(len(lane.owed) <= len(SYMBOLS) for lane in socket.reader.lanes.values())
    socket.drain()
    for _ in range(12):
        world.pass_by(0.5)
    assert socket.last() == newest(world)
    told = [(one["sym"], one["tsp"]) for one in socket.prices()]
    assert told == list(dict.fromkeys(told))
