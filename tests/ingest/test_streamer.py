"""A venue plays every trick over a real socket; how long is waited is told by a loop that skips time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Self

import aiohttp
import pytest
from aiohttp import web
from tests.patience import PATIENCE

from cambist.errors import SourceBroken, SourceUnreachable
from cambist.ingest.fetch import Fetcher
from cambist.ingest.poller import Poller
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.ingest.streamer import Streamer, supported_pairs
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.pricing.tick import Tick
from cambist.settings import Settings
from cambist.settings.outgoing import OutgoingProxies, outgoing_proxies
from cambist.sources.base import EMPTY_MESSAGE, PairNames, SourceRequest, VenueAdapter, VenueMessage, VenueSocket

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
BITCOIN = Pair("BTC", "USD")
HOUR = timedelta(hours=1)
LIST = {"BTCUSD": BITCOIN}
HEARD = web.ResponseKey("heard", list[tuple[float, str]])


class Bourse(VenueAdapter):
    """A venue whose frames are words: a name, bid and ask, how many seconds ago, and the sequence."""

    def __init__(self, source: Any, *sockets: VenueSocket) -> None:
        self.source = source
        self.opened = sockets
        self.listed: Sequence[PairNames | Exception] = (LIST,)
        self.read = 0

    def pair_list_request(self) -> SourceRequest:
        return SourceRequest(url="list")

    def parse_pair_names(self, content: bytes) -> PairNames:
        assert content == b"the list"
        self.read += 1
        found = self.listed[min(self.read, len(self.listed)) - 1]
        if isinstance(found, Exception):
            raise found
        return found

    def requests(self) -> Sequence[SourceRequest]:
        return ()

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        raise NotImplementedError

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        assert names
        yield from self.opened

    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        text = frame.decode() if isinstance(frame, bytes) else frame
        match text.split():
            case ["pong"]:
                return EMPTY_MESSAGE
            case ["reconnect"]:
                return VenueMessage(reconnect=True)
            case ["refused", *why]:
                return VenueMessage(refused=" ".join(why))
            case ["fault"]:
                raise KeyError(text)
            case [name, bid, ask, *rest] if name in names:
                ago, sequence = (*map(int, rest), 0, 0)[:2]
                moment = NOON - timedelta(seconds=ago)
                return VenueMessage((Tick("bourse", names[name], Decimal(bid), Decimal(ask), moment, sequence),))
        raise SourceBroken(f"bourse: a frame is not its own: {text[:20]}")


class Lists:
    """A fetcher that knows of lists alone: given in turn, the last for ever; an error is raised."""

    def __init__(self, session: Any, *answers: bytes | Exception | None, takes: float = 0) -> None:
        self.session = session
        self._answers = answers or (b"the list",)
        self._takes = takes
        self.asked_at: list[float] = []
        self.forgotten = 0
        self.connected_to: list[str] = []
        self.proxies = OutgoingProxies()

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        assert (source, request.url) == ("bourse", "list")
        self.asked_at.append(asyncio.get_running_loop().time())
        if len(self.asked_at) > 1:
            await asyncio.sleep(self._takes)
        answer = self._answers[min(len(self.asked_at), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def forget(self, request: SourceRequest) -> None:
        assert request.url == "list"
        self.forgotten += 1

    def address(self, url: str) -> str:
        self.connected_to.append(url)
        return url


def a_streamer(source: Any, fetcher: Any, *sockets: VenueSocket, back_off: float = 0.01) -> Streamer:
    source_statuses = SourceStatuses.for_sources([source], {})
    poller = Poller(source, fetcher, source_statuses.by_source["bourse"], lambda: NOON, source_statuses)
    return Streamer(Bourse(source, *sockets), poller, PricePipeline({"bourse": source}), back_off=back_off)


Connection = web.WebSocketResponse
Plot = Callable[[Connection], Awaitable[None]]


@dataclass
class Floor:
    """Plays a venue's sockets on the loopback, one plot a connection, the last for ever."""

    plots: Sequence[Plot]
    said: list[list[tuple[float, str]]] = field(default_factory=list)
    began: list[float] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""
    over: int = 0

    async def connect(self, request: web.Request) -> web.StreamResponse:
        clock, heard = asyncio.get_running_loop().time, []
        self.began.append(clock())
        self.paths.append(request.path)
        self.said.append(heard)
        plot = self.plots[min(len(self.began), len(self.plots)) - 1]
        connection = web.WebSocketResponse()
        connection[HEARD] = heard
        if plot is refuse:
            return web.Response(status=503)
        await connection.prepare(request)

        async def play() -> None:
            with suppress(ConnectionError):
                await plot(connection)

        playing = asyncio.create_task(play())
        try:
            async for message in connection:
                heard.append((clock(), message.data))  # noqa: PERF401  each is to be seen as it comes
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            self.over += 1
        return connection

    @property
    def words(self) -> list[list[str]]:
        return [[text for _, text in heard] for heard in self.said]


@asynccontextmanager
async def a_floor(*plots: Plot) -> AsyncIterator[Floor]:
    floor = Floor(plots)
    app = web.Application()
    app.router.add_get("/{rest:.*}", floor.connect)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    floor.url = f"ws://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield floor
    finally:
        await runner.cleanup()


def say(*frames: str | bytes, then: Plot | None = None) -> Plot:
    """Say frames, then wait or do something else."""

    async def plot(connection: Connection) -> None:
        for frame in frames:
            await (connection.send_bytes(frame) if isinstance(frame, bytes) else connection.send_str(frame))
        if then is not None:
            await then(connection)

    return plot


listen = say()


def greeted(plot: Plot) -> Plot:
    """Begin once something was said."""

    async def patient(connection: Connection) -> None:
        while not connection[HEARD]:  # noqa: ASYNC110  a list tells of no event
            await asyncio.sleep(0.005)
        await plot(connection)

    return patient


async def close(connection: Connection) -> None:
    await connection.close()


async def drop(connection: Connection) -> None:
    """Break off without a farewell."""
    assert connection._req is not None
    assert connection._req.transport is not None
    connection._req.transport.abort()


async def refuse(_: Connection) -> None:
    """Stands for a handshake that is refused."""


async def ping_for_ever(connection: Connection) -> None:
    while True:
        await connection.ping()
        await asyncio.sleep(0.02)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  a condition tells of no event
            await asyncio.sleep(0.005)


@dataclass
class Hall:
    """A streamer at work, and the floor that it listens to."""

    streamer: Streamer
    floor: Floor
    lists: Lists

    @property
    def source_status(self) -> Any:
        return self.streamer.poller.source_status

    @property
    def pipeline(self) -> PricePipeline:
        return self.streamer.pipeline

    @property
    def price(self) -> str | None:
        ticks = self.pipeline.tick_store.by_source(BITCOIN)
        quote = self.pipeline.pair_consensus.agree(BITCOIN, ticks, NOON)
        return quote and str(quote.bid)


def hearing(
    source: Any, plots: Sequence[Plot], scene: Callable[[Hall], Awaitable[None]], *answers: Any, **socket: Any
) -> None:
    """Run a streamer against a floor while a scene goes on."""

    async def run() -> None:
        async with a_floor(*plots) as floor, aiohttp.ClientSession() as session:
            lists = Lists(session, *answers)
            facts = {"url": floor.url, "opening_frames": ("subscribe",), "pause": timedelta(), **socket}
            hall = Hall(a_streamer(source, lists, VenueSocket(**facts)), floor, lists)
            task = asyncio.create_task(hall.streamer.run())
            try:
                await scene(hall)
                assert not task.done()
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())


@pytest.fixture
def source(a_source) -> Any:
    return a_source("bourse", pace=Pace.REALTIME)


def test_ticks_from_a_socket_are_applied(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"] == 2)
        assert hall.price == "61"
        assert (hall.source_status.failures, hall.source_status.last_success) == (0, NOON)
        assert hall.source_status.newest == NOON - timedelta(seconds=1)

    hearing(source, [say("BTCUSD 60 60 3", b"BTCUSD 61 61 1")], scene)


def test_a_connection_without_ticks_is_no_success(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.floor.words == [["subscribe"]])
        assert (hall.source_status.last_success, hall.source_status.newest) == (None, None)

    hearing(source, [say("pong")], scene)


def test_a_refused_tick_from_a_socket_is_no_success(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.refused)
        assert (hall.source_status.last_success, hall.source_status.newest) == (None, None)

    hearing(source, [say("BTCUSD 61 60")], scene)


def test_opening_frames_are_sent_with_a_pause_between_them(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: len(hall.floor.said) == 1 and len(hall.floor.said[0]) == 3)
        times, words = zip(*hall.floor.said[0], strict=True)
        assert words == ("one", "two", "three")
        assert times[1] - times[0] >= 0.04
        assert times[2] - times[1] >= 0.04

    hearing(source, [listen], scene, opening_frames=("one", "two", "three"), pause=timedelta(milliseconds=50))


def test_opening_frames_are_sent_while_messages_arrive(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"] and any(hall.floor.words))
        assert hall.floor.words == [["one"]]

    hearing(source, [say("BTCUSD 60 60")], scene, opening_frames=("one", "two"), pause=HOUR)


def test_pings_are_sent_after_the_opening_frames(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.floor.words and len(hall.floor.words[0]) == 4)
        assert hall.floor.words == [["subscribe", "ping", "ping", "ping"]]
        times = [at for at, _ in hall.floor.said[0]]
        assert times[3] - times[1] >= 0.07

    hearing(source, [listen], scene, ping="ping", ping_every=timedelta(milliseconds=40))


def test_without_a_ping_text_no_ping_is_sent(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.floor.words == [["subscribe"]])
        await asyncio.sleep(0.1)
        assert hall.floor.words == [["subscribe"]]

    hearing(source, [listen], scene, ping_every=timedelta(milliseconds=10))


DEATHS = {
    "a drop": (drop, "closed"),
    "a farewell": (close, "closed"),
    "garbage": (say("<html>"), "not its own"),
    "a frame of five megabytes": (say("BTCUSD" + " " * 5 * 1024 * 1024 + "9 9"), "closed"),
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_broken_connection_is_replaced_and_subscribes_again(source, death: str) -> None:
    plot, why = DEATHS[death]

    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"] == 2)
        assert hall.floor.words[:2] == [["subscribe"], ["subscribe"]]
        assert (hall.price, len(hall.floor.began)) == ("61", 2)
        assert hall.source_status.last_failure == NOON
        assert hall.source_status.failures == 0, "it is heard again"

    hearing(source, [say("BTCUSD 60 60", then=greeted(plot)), greeted(say("BTCUSD 61 61"))], scene)

    async def failing(hall: Hall) -> None:
        await until(lambda: hall.source_status.failures >= 2)
        assert why in hall.source_status.why

    hearing(source, [plot], failing)


def test_ticks_before_an_invalid_message_count_and_those_after_it_do_not(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: len(hall.floor.began) == 2)
        assert (hall.price, hall.pipeline.accepted["bourse"]) == ("60", 1)

    hearing(source, [say("BTCUSD 60 60", "<html>", "BTCUSD 61 61"), listen], scene)


def test_a_refused_handshake_is_tried_again(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"])
        assert len(hall.floor.began) == 3
        assert hall.source_status.last_failure == NOON

    hearing(source, [refuse, refuse, say("BTCUSD 60 60")], scene)


def test_a_silent_connection_is_replaced(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: len(hall.floor.began) == 2)
        assert hall.floor.began[1] - hall.floor.began[0] >= 0.1
        assert "TimeoutError" in hall.source_status.why

    hearing(source, [say("BTCUSD 60 60"), listen], scene, silence=timedelta(milliseconds=100))


def test_pings_do_not_count_as_messages(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: len(hall.floor.began) == 2)
        assert "TimeoutError" in hall.source_status.why

    hearing(source, [ping_for_ever], scene, silence=timedelta(milliseconds=100))


def test_a_connection_with_messages_stays_open(source) -> None:
    async def talk(connection: Connection) -> None:
        while True:
            await connection.send_str("pong")
            await asyncio.sleep(0.03)

    async def scene(hall: Hall) -> None:
        await asyncio.sleep(0.5)
        assert (len(hall.floor.began), hall.source_status.failures) == (1, 0)

    hearing(source, [talk], scene, silence=timedelta(milliseconds=250))


def test_the_streamer_reconnects_if_the_venue_asks_for_it(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"])
        assert len(hall.floor.began) == 2
        assert (hall.source_status.failures, hall.source_status.last_failure) == (0, None)

    hearing(source, [say("reconnect"), say("BTCUSD 60 60")], scene)


def test_a_refused_subscription_is_logged_with_the_venues_text(source, caplog: pytest.LogCaptureFixture) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"])
        assert len(hall.floor.began) == 1
        (record,) = [one for one in caplog.records if one.name == "cambist.ingest.streamer"]
        told = record.getMessage()
        assert told.startswith("Source bourse: refuses a subscription: no such pair")
        assert len(told) < 260

    hearing(source, [say("refused no such pair " + "x" * 999, "BTCUSD 60 60")], scene)


def test_a_reconnect_resets_sequences_but_not_times(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.accepted["bourse"] == 3)
        assert hall.price == "64"
        assert hall.pipeline.refused["bourse"] == {"out of order": 2}

    first = say("BTCUSD 60 60 9 100", "BTCUSD 61 61 8 99", then=drop)
    again = say("BTCUSD 62 62 20 5", "BTCUSD 63 63 7 6", "BTCUSD 64 64 7 7")
    hearing(source, [first, again], scene)


def test_a_changed_list_replaces_all_connections_and_resets_sequences(source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.ingest.streamer._LIST_EVERY", timedelta(milliseconds=50))
    ether = Pair("ETH", "USD")

    async def scene() -> None:
        plots = say("BTCUSD 60 60 9 100"), say("BTCUSD 61 61 8 1", "ETHUSD 3 3")
        async with a_floor(*plots) as floor, aiohttp.ClientSession() as session:
            streamer = a_streamer(source, Lists(session), VenueSocket(url=floor.url, opening_frames=()))
            streamer.venue.listed = (LIST, LIST | {"ETHUSD": ether})  # type: ignore[attr-defined]
            task = asyncio.create_task(streamer.run())
            await until(lambda: streamer.pipeline.accepted["bourse"] == 3)
            assert (len(floor.began), floor.over) == (2, 1)
            assert not streamer.pipeline.refused
            assert streamer.pipeline.tick_store.pairs() == {BITCOIN, ether}
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())


def test_a_broken_connection_does_not_affect_the_other(source) -> None:
    async def by_path(connection: Connection) -> None:
        assert connection._req is not None
        if connection._req.path == "/bad":
            await connection.close()
        while True:
            await connection.send_str("BTCUSD 60 60")
            await asyncio.sleep(0.01)

    async def scene() -> None:
        async with a_floor(by_path) as floor, aiohttp.ClientSession() as session:
            sockets = [VenueSocket(url=floor.url + path, opening_frames=()) for path in ("/good", "/bad")]
            task = asyncio.create_task(a_streamer(source, Lists(session), *sockets).run())
            await until(lambda: floor.paths.count("/bad") == 3)
            assert floor.paths.count("/good") == 1
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())


def test_stopping_the_streamer_closes_its_connections(source) -> None:
    async def scene() -> None:
        async with a_floor(listen) as floor, aiohttp.ClientSession() as session:
            task = asyncio.create_task(
                a_streamer(source, Lists(session), VenueSocket(url=floor.url, opening_frames=("a",))).run()
            )
            await until(lambda: floor.words == [["a"]])
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await until(lambda: floor.over == 1)

    asyncio.run(scene())


def test_sockets_go_through_the_gateway_too(source) -> None:
    async def scene() -> None:
        async with a_floor(listen) as floor, aiohttp.ClientSession() as session:
            lists = Lists(session)
            lists.address = Fetcher(session, gateway=floor.url.replace("ws", "http", 1)).address  # type: ignore[method-assign]
            streamer = a_streamer(source, lists, VenueSocket(url="wss://bourse.example/ws/v2", opening_frames=()))
            task = asyncio.create_task(streamer.run())
            await until(lambda: floor.paths == ["/bourse.example/ws/v2"])
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())


@pytest.mark.parametrize(("url", "proxy"), [("wss://bourse.example", "http://proxy:1"), ("ws://127.0.0.1:1", None)])
def test_sockets_go_through_the_proxy_unless_they_are_of_this_machine(source, url, proxy) -> None:
    through: list[Any] = []

    class Session:
        def ws_connect(self, _: str, **options: Any) -> Any:
            through.append(options["proxy"])
            raise OSError

    async def scene() -> None:
        lists = Lists(Session())
        lists.proxies = outgoing_proxies(Settings(), {"HTTPS_PROXY": "http://proxy:1", "HTTP_PROXY": "http://proxy:1"})
        task = asyncio.create_task(a_streamer(source, lists, VenueSocket(url=url, opening_frames=())).run())
        await until(lambda: through)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())
    assert set(through) == {proxy}


# How long it waits


class Quiet:
    """A connection that says something harmless every ten seconds, until it breaks."""

    def __init__(self, lasts: float) -> None:
        self.left = lasts

    async def receive(self) -> Any:
        await asyncio.sleep(min(10, self.left))
        self.left -= 10
        if self.left <= 0:
            raise ConnectionResetError
        return SimpleNamespace(type=aiohttp.WSMsgType.TEXT, data="pong")

    async def send_str(self, _: str) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class Sessions:
    """Connects without a network: for so many seconds each time, the last for ever; 0 is refused at once."""

    def __init__(self, *lasting: float) -> None:
        self._lasting = lasting
        self.began: list[float] = []
        self.made: list[Quiet] = []

    def ws_connect(self, _: str, **__: object) -> Quiet:
        self.began.append(asyncio.get_running_loop().time())
        lasts = self._lasting[min(len(self.began), len(self._lasting)) - 1]
        if not lasts:
            raise ConnectionRefusedError
        self.made.append(Quiet(lasts))
        return self.made[-1]

    @property
    def gaps(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.began, self.began[1:], strict=False)]


def kept(skipping: Any, source: Any, sessions: Sessions, seconds: float, *answers: Any) -> tuple[Streamer, Lists]:
    """Let a streamer of one socket go on for so many seconds."""

    async def scene() -> tuple[Streamer, Lists]:
        lists = Lists(sessions, *answers)
        streamer = a_streamer(source, lists, VenueSocket(url="ws://bourse.example", opening_frames=()), back_off=1.0)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await streamer.run()
        return streamer, lists

    return skipping(scene())


def test_back_off_grows_with_each_failure_up_to_a_minute(skipping, source) -> None:
    sessions = Sessions(0)
    streamer, _ = kept(skipping, source, sessions, 900)
    for gap, longest in zip(sessions.gaps, [2, 4, 8, 16, 32, 60, 60, 60], strict=False):
        assert longest / 2 <= gap <= longest + 0.2
    assert len(sessions.gaps) >= 8
    assert streamer.poller.source_status.failures == len(sessions.began)


def test_after_a_stable_minute_there_is_no_back_off(skipping, source) -> None:
    sessions = Sessions(0, 0, 0, 61, 0)
    kept(skipping, source, sessions, 200)
    assert 61.5 <= sessions.gaps[3] <= 62.2
    assert 1 <= sessions.gaps[4] <= 2.2


def test_after_a_shorter_connection_the_back_off_grows(skipping, source) -> None:
    sessions = Sessions(0, 0, 0, 59, 0)
    kept(skipping, source, sessions, 200)
    assert 59 + 8 <= sessions.gaps[3] <= 59 + 16.2


# The list


def test_the_list_is_fetched_every_hour(skipping, source) -> None:
    _, lists = kept(skipping, source, Sessions(10**9), 2.5 * 3600)
    assert len(lists.asked_at) == 3
    assert lists.asked_at[1] - lists.asked_at[0] == pytest.approx(3600, abs=30)


def test_no_socket_is_connected_before_there_is_a_list(skipping, source) -> None:
    sessions = Sessions(10**9)
    broken, silent = SourceBroken("bourse: sent a page"), SourceUnreachable("bourse: no answer in time")
    streamer, lists = kept(skipping, source, sessions, 60, broken, silent, b"the list")
    assert (len(lists.asked_at), len(sessions.began)) == (3, 1)
    assert lists.asked_at[-1] <= sessions.began[0]
    assert lists.forgotten == 2
    assert streamer.poller.source_status.last_failure == NOON


def test_a_list_that_cannot_be_parsed_is_requested_again(skipping, source) -> None:
    async def scene() -> tuple[Streamer, Lists]:
        lists = Lists(Sessions(10**9))
        streamer = a_streamer(source, lists, VenueSocket(url="ws://bourse.example", opening_frames=()))
        streamer.venue.listed = (SourceBroken("bourse: the list holds no pair"), LIST)  # type: ignore[attr-defined]
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await streamer.run()
        return streamer, lists

    streamer, lists = skipping(scene())
    assert (lists.forgotten, streamer.names) == (1, LIST)


@pytest.mark.parametrize("later", [None, SourceUnreachable("bourse: no answer in time")], ids=["unchanged", "silent"])
def test_the_last_list_stays_if_there_is_no_new_one(skipping, source, later: Any) -> None:
    sessions = Sessions(10**9)
    streamer, lists = kept(skipping, source, sessions, 2.5 * 3600, b"the list", later)
    assert (len(lists.asked_at), streamer.names) == (3, LIST)
    assert streamer.poller.source_status.failures == (0 if later is None else 2)


def test_a_venue_without_supported_pairs_is_polled_again_later(skipping, source) -> None:
    async def scene() -> Lists:
        lists = Lists(Sessions(10**9))
        streamer = a_streamer(source, lists, VenueSocket(url="ws://bourse.example", opening_frames=()))
        streamer.venue.listed = ({"FOOBAR": Pair("FOO", "BAR")},)  # type: ignore[attr-defined]
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await streamer.run()
        return lists

    lists = skipping(scene())
    assert 10 <= len(lists.asked_at) <= 26, "every 40 to 50 milliseconds"
    assert lists.session.began == []


@pytest.mark.parametrize(
    "later", [b"the list", None, SourceUnreachable("bourse: no answer in time")], ids=["same", "unchanged", "silent"]
)
def test_an_unchanged_list_keeps_the_connections(skipping, source, later: Any) -> None:
    sessions = Sessions(10**9)
    kept(skipping, source, sessions, 2.5 * 3600, b"the list", later)
    assert len(sessions.began) == 1


def test_ticks_arrive_while_the_list_is_fetched(skipping, source) -> None:
    async def scene() -> float:
        sessions = Sessions(10**9)
        streamer = a_streamer(
            source, Lists(sessions, takes=180), VenueSocket(url="ws://bourse.example", opening_frames=())
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(3600 + 90):
                await streamer.run()
        (connection,) = sessions.made
        return 10**9 - connection.left

    assert skipping(scene()) > 3600 + 60, "half a minute before the end it was heard"


def test_a_list_without_supported_pairs_keeps_the_connections(skipping, source) -> None:
    async def scene() -> tuple[Streamer, Sessions]:
        sessions = Sessions(10**9)
        streamer = a_streamer(source, Lists(sessions), VenueSocket(url="ws://bourse.example", opening_frames=()))
        streamer.venue.listed = (LIST, {})  # type: ignore[attr-defined]
        with suppress(TimeoutError):
            async with asyncio.timeout(3600 + 5):
                await streamer.run()
        return streamer, sessions

    streamer, sessions = skipping(scene())
    assert (streamer.names, len(sessions.began)) == (LIST, 1)


def test_an_unexpected_error_in_one_socket_is_raised(source) -> None:
    async def scene() -> None:
        async with a_floor(say("fault")) as floor, aiohttp.ClientSession() as session:
            sockets = [VenueSocket(url=floor.url, opening_frames=()) for _ in range(2)]
            with pytest.raises(KeyError, match="fault"):
                async with asyncio.timeout(PATIENCE):
                    await a_streamer(source, Lists(session), *sockets).run()
            await until(lambda: floor.over == len(floor.began))

    asyncio.run(scene())


# Names


@pytest.mark.parametrize(
    ("venue", "listed", "known"),
    [
        ("kraken", Pair("BTC", "USD"), Pair("BTC", "USD")),
        ("kraken", Pair("BTC", "TRY"), Pair("BTC", "TRY")),
        ("kraken", Pair("ETH", "BTC"), Pair("ETH", "BTC")),
        ("kraken", Pair("USDT", "USD"), Pair("USDT", "USD")),
        ("kraken", Pair("EUR", "USDT"), Pair("EUR", "USDT")),
        ("kraken", Pair("EUR", "USD"), Pair("EUR", "USD")),
        ("kraken", Pair("U", "USD"), None),  # another's coin
        ("kraken", Pair("MNT", "USD"), None),  # a coin with the name of the tugrik
        ("kraken", Pair("RON", "EUR"), None),
        ("kraken", Pair("TRY", "USD"), None),  # no venue deals in lira; it would be a coin of that name
        ("kraken", Pair("XAU", "USD"), None),  # a metal is no coin
        ("kraken", Pair("NOSUCHCOIN", "USD"), None),
        ("kraken", Pair("BTC", "NOSUCHCOIN"), None),
        ("binance", Pair("BCHABC", "USDT"), Pair("BCH", "USDT")),
        ("binance", Pair("ETH", "BCHSV"), Pair("ETH", "BSV")),
        ("binance", Pair("BCHABC", "BCH"), None),  # it would be worth one of itself
        ("bitstamp", Pair("PAX", "USD"), Pair("USDP", "USD")),
        ("binance", Pair("BEAMX", "USDT"), Pair("BEAM", "USDT")),
        ("coinbase", Pair("ZETA", "USD"), None),  # another's coin of that name
        ("coinbase", Pair("ZETACHAIN", "USD"), Pair("ZETA", "USD")),
        ("binance", Pair("BTCUP", "USDT"), None),  # leveraged, should its list let one through
        ("okx", Pair("BTC3L", "USDT"), None),
        ("okx", Pair("BTC", "ETHBEAR"), None),
    ],
)
def test_a_pair_is_supported_if_both_its_sides_are(venue: str, listed: Pair, known: Pair | None) -> None:
    expected: Mapping[str, Pair] = {"its name": known} if known else {}
    assert supported_pairs(venue, {"its name": listed}) == expected


def test_every_name_of_a_pair_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        names = {"XXBTZUSD": BITCOIN, "XBTUSD": BITCOIN, "NOPE": Pair("NOPENOPE", "USD")}
        assert supported_pairs("kraken", names) == {"XXBTZUSD": BITCOIN, "XBTUSD": BITCOIN}


def test_the_venues_pairs_are_recorded_as_listed(source) -> None:
    async def scene(hall: Hall) -> None:
        await until(lambda: hall.pipeline.listings.pairs)
        assert BITCOIN in hall.pipeline.listings.pairs == frozenset(hall.streamer.names.values())

    hearing(source, [say("BTCUSD 60 60")], scene)
