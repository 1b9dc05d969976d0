"""A watched stream keeps a watch list up to date, and connects again when its connection is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal

import pytest
from tests.client.fake_stream import KEY, NOON, TSP, FakeStream, price, running_stream
from tests.patience import PATIENCE

from cambist.cli.watch_list import Direction, Disconnection, WatchList
from cambist.cli.watched_stream import WatchedStream
from cambist.client.price_stream import PriceStream, Reconnecting, StreamAddress
from cambist.errors import KeyRefused


@pytest.fixture
def stream() -> Iterator[FakeStream]:
    with running_stream() as stream:
        yield stream


def watched(stream: FakeStream, watch_list: WatchList, said: list[str]) -> WatchedStream:
    quickly = Reconnecting(reply_timeout=2, min_pause=0.01, max_pause=0.05)
    pairs = list(watch_list.names.values())
    prices = PriceStream(StreamAddress(stream.url, KEY), pairs, reconnecting=quickly)
    return WatchedStream(prices, watch_list, lambda: NOON, said.append)


async def read_changes(client: WatchedStream, count: int) -> None:
    """Read this many changes, then stop."""
    async with asyncio.timeout(PATIENCE):
        changes = client.changes()
        for _ in range(count):
            await anext(changes)
        await changes.aclose()


def test_after_a_lost_connection_the_client_connects_and_subscribes_again(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")], [], [price("EURUSD", "1.0840", "1.0842")]]
    watch_list, said = WatchList(["EURUSD", "NOPE"]), []
    asyncio.run(read_changes(watched(stream, watch_list, said), 2))
    assert (stream.connections, watch_list.prices["EURUSD"].bid, watch_list.disconnection) == (
        3,
        Decimal("1.0840"),
        None,
    )
    assert watch_list.prices["EURUSD"].direction is Direction.DOWN
    assert [asked["op"] for asked in stream.requests] == ["auth", "subscribe"] * 3
    assert [sentence for sentence in said if "NOPE" in sentence] == ["The stream knows no pair [NOPE]"]
    assert "The stream is lost since 12:00:00 UTC: the connection was closed; connecting again" in said


def test_while_the_stream_is_lost_the_last_prices_and_the_time_of_the_loss_stay(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")], []]
    watch_list, said = WatchList(["EURUSD"]), []
    one = watched(stream, watch_list, said)

    async def loses() -> None:
        changes = one.changes()
        await anext(changes)
        stream.keys = {}
        with pytest.raises(KeyRefused, match="refuses the key"):
            await anext(changes)

    asyncio.run(loses())  # the key was revoked meanwhile: another attempt would not help
    assert watch_list.prices["EURUSD"].bid == Decimal("1.0850")
    assert watch_list.disconnection == Disconnection(NOON, "the connection was closed")
    assert len(said) == 1


@pytest.mark.parametrize(
    ("op", "why"),
    [("error", "The stream ends: Too much"), ("shutdown", "Too much"), ("status", "the connection was closed")],
)
def test_an_error_of_the_server_is_the_reason_of_the_loss(stream, op, why):
    error = {"op": op, "status": 429, "msg": "Too much", "tsp": TSP}
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852"), error], [price("EURUSD", "1.0840", "1.0842")]]
    said: list[str] = []
    asyncio.run(read_changes(watched(stream, WatchList(["EURUSD"]), said), 2))
    assert said == [f"The stream is lost since 12:00:00 UTC: {why}; connecting again"]


def test_a_loss_is_reported_once_for_any_number_of_attempts(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")], [], []]
    said: list[str] = []

    async def tries() -> None:
        changes = watched(stream, WatchList(["EURUSD"]), said).changes()
        await anext(changes)
        stream.most = 0  # no reason to stop: it was allowed before
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await anext(changes)

    asyncio.run(tries())
    assert stream.connections > 3
    assert len(said) == 1
