"""The price stream: typed prices without end, over any number of connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import aclosing
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from tests.client.fake_stream import KEY, NOON, TSP, FakeStream, price, running_stream
from tests.patience import PATIENCE

from cambist.client import AsyncCambist, errors
from cambist.client.price_stream import PriceStream, Reconnecting, StreamAddress
from cambist.client.protocol import read_configuration
from cambist.client.stream_messages import Disconnected, Event, Price, Subscribed

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUICKLY = Reconnecting(reply_timeout=2, min_pause=0.01, max_pause=0.05)
TWICE = [[price("EURUSD", "1.0850", "1.0852")], [price("EURUSD", "1.0840", "1.0842")]]


@pytest.fixture
def fake() -> Iterator[FakeStream]:
    with running_stream() as fake:
        yield fake


def stream_at(url: str, pairs: Any = ("EURUSD",)) -> PriceStream:
    return PriceStream(StreamAddress(url, KEY), pairs, reconnecting=QUICKLY)


async def events_of(stream: PriceStream, count: int) -> list[Event]:
    """Return the first events."""
    async with asyncio.timeout(PATIENCE), aclosing(stream.events()) as events:
        return [await anext(events) for _ in range(count)]


def read(stream: PriceStream, count: int) -> list[Event]:
    return asyncio.run(events_of(stream, count))


def test_prices_have_types_and_all_their_digits(fake: FakeStream) -> None:
    fake.rounds = [[price("EURUSD", "1.08500", "1.08520") | {"fixed_on": "2026-11-19"}]]
    _, got = read(stream_at(fake.url), 2)
    assert got == Price(
        symbol="EURUSD", bid=Decimal("1.08500"), ask=Decimal("1.08520"), as_of=NOON, fixed_on=date(2026, 11, 19)
    )
    assert isinstance(got, Price)
    assert (str(got.bid), str(got.mid), str(got.spread)) == ("1.08500", "1.08510", "0.00020")


def test_a_lost_connection_is_found_again_with_its_pairs(fake: FakeStream) -> None:
    fake.rounds = TWICE
    events = read(stream_at(fake.url, "EURUSD,NOPE"), 5)
    assert events[0] == events[3] == Subscribed(("NOPE",))
    assert events[2] == Disconnected("the connection was closed")
    assert [event.bid for event in events if isinstance(event, Price)] == [Decimal("1.0850"), Decimal("1.0840")]
    subscribed = [asked for asked in fake.requests if asked["op"] == "subscribe"]
    assert subscribed == [{"op": "subscribe", "stream": "fx", "pairs": ["EURUSD", "NOPE"]}] * 2


def test_iterating_gives_the_prices_alone(fake: FakeStream) -> None:
    fake.rounds = TWICE

    async def bids() -> list[Decimal]:
        found: list[Decimal] = []
        async with asyncio.timeout(PATIENCE), AsyncCambist("http://127.0.0.1:1", KEY) as client:
            stream = client.stream(["EURUSD"], "fx1s", url=fake.url)
            stream.reconnecting = QUICKLY
            async for got in stream:
                found.append(got.bid)
                if len(found) == 2:
                    return found
        raise AssertionError

    assert asyncio.run(bids()) == [Decimal("1.0850"), Decimal("1.0840")]
    assert fake.requests[1]["stream"] == "fx1s"


def test_pairs_that_are_changed_stay_changed_after_a_reconnection(fake: FakeStream) -> None:
    fake.rounds = TWICE

    async def changed() -> None:
        stream = stream_at(fake.url)
        async with asyncio.timeout(PATIENCE), aclosing(stream.events()) as events:
            await anext(events)
            await stream.subscribe(["BTCUSD", "XAUUSD"])
            while not isinstance(await anext(events), Disconnected):
                pass
            assert isinstance(await anext(events), Subscribed)

    asyncio.run(changed())
    assert fake.requests[-1]["pairs"] == ["BTCUSD", "XAUUSD"]


def test_frames_that_are_no_prices_are_skipped(fake: FakeStream) -> None:
    odd = {"op": "price", "sym": "EURUSD", "tsp": TSP}
    fake.rounds = [[odd, odd | {"bid": "NaN", "ask": "1"}, {"op": "news"}, price("EURUSD", "1.0850", "1.0852")]]
    assert isinstance(read(stream_at(fake.url), 2)[1], Price)


@pytest.mark.parametrize(
    ("prepare", "kind", "sentence"),
    [
        (lambda fake: fake.keys.clear(), errors.KeyRefused, "The stream refuses the key: The API key is unknown here"),
        (lambda fake: fake.known_pairs.clear(), errors.BadRequest, "The stream refuses the pairs: No valid pairs"),
        (lambda fake: setattr(fake, "most", 0), errors.RateLimited, "The stream refuses the pairs: Too many pairs"),
    ],
)
def test_what_is_refused_at_first_is_an_error(
    fake: FakeStream, prepare: Callable[[FakeStream], object], kind: type[Exception], sentence: str
) -> None:
    prepare(fake)
    with pytest.raises(kind, match=sentence):
        read(stream_at(fake.url), 1)


def test_a_revoked_key_ends_the_stream(fake: FakeStream) -> None:
    fake.rounds, fake.keys = TWICE, {KEY: 1}
    with pytest.raises(errors.KeyRefused):
        read(stream_at(fake.url), 5)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", r"does not send a price stream \(HTTP 200\)"),
        (b"HTTP/1.1 302 Found\r\nLocation: {stream}\r\n\r\n", r"does not send a price stream \(HTTP 302\)"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "does not send a price stream"),
    ],
)
def test_a_server_without_a_stream_is_named_and_no_redirect_is_followed(
    fake: FakeStream, response: bytes, reason: str
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response.replace(b"{stream}", fake.url.encode()))
        await writer.drain()
        writer.close()

    async def ask() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await events_of(stream_at(f"ws://127.0.0.1:{port}"), 1)

    with pytest.raises(errors.ConnectionFailed, match=reason):
        asyncio.run(ask())
    assert fake.connections == 0


@pytest.mark.parametrize(
    ("url", "reason"),
    [("ws://127.0.0.1:1", "nothing listens there"), ("http://127.0.0.1", "this is not a valid address")],
)
def test_an_address_without_a_server_is_named(url: str, reason: str) -> None:
    with pytest.raises(errors.ConnectionFailed, match=rf"There is no stream at \[{url}\]: {reason}"):
        read(stream_at(url), 1)


@pytest.mark.parametrize(
    ("url", "variable", "expected"),
    [
        ("http://127.0.0.1:9000", "", "ws://127.0.0.1:8001"),
        ("https://rates.example/v1", "", "wss://rates.example:8001"),
        ("http://[::1]:9000", "", "ws://[::1]:8001"),
        ("https://rates.example", "wss://stream.example/s", "wss://stream.example/s"),
    ],
)
def test_the_address_of_the_stream_follows_from_that_of_the_service(
    url: str, variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMBIST_STREAM_URL", variable)
    assert read_configuration(url, KEY, 1, None, None).stream_url == expected


def test_a_stream_that_is_left_closes_its_connection_without_a_word(
    fake: FakeStream, caplog: pytest.LogCaptureFixture
) -> None:
    fake.rounds = [[price("EURUSD", "1.0850", "1.0852")]] * 2 + [[]]

    async def leave() -> None:
        async with asyncio.timeout(PATIENCE), AsyncCambist("http://127.0.0.1:1", KEY) as client:
            async for got in client.stream("EURUSD", url=fake.url):
                assert got.symbol == "EURUSD"
                break
            await anext(client.stream("EURUSD", url=fake.url).events())

    asyncio.run(leave(), debug=True)
    assert fake.connections == 2
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
