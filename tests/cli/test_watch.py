"""`cambist watch`, with a fake stream on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import select
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from cambist.cli import main, show_prices, stream_address
from cambist.cli.prices_table import prices_table
from cambist.client.stream_client import ReconnectPolicy, StreamAddress, StreamClient
from cambist.client.watch_list import Direction, Disconnection, WatchList
from cambist.errors import KeyRefused
from cambist.settings import read_settings
from cambist.stream.messages import StreamName

KEY = "a-valid-key"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TSP = 1_795_176_000_000
COMMAND = str(Path(sys.executable).with_name("cambist"))

Frames = list[dict[str, Any]]


def price(symbol: str, bid: str, ask: str, tsp: int = TSP) -> dict[str, Any]:
    return {"op": "price", "sym": symbol, "bid": bid, "ask": ask, "tsp": tsp}


@dataclass
class FakeStream:
    """A fake stream. Its n-th connection gets the n-th frames of `rounds` and is then closed, except the last."""

    rounds: list[Frames] = field(default_factory=list)
    known_pairs: set[str] = field(default_factory=lambda: {"EURUSD", "XAUUSD", "BTCUSD"})
    most: int = 10
    requests: Frames = field(default_factory=list)
    connections: int = 0
    keys: dict[str, int] = field(default_factory=lambda: {KEY: 10**6})
    """Each key, and how many connections it can open."""
    then: Callable[[], object] = lambda: None
    """Called when all frames have been sent."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def answer(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        await say(socket, "connect", 200, "Connected")
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            asked = json.loads(message.data)
            self.requests.append(asked)
            if asked["op"] == "auth":
                await self._authenticate(socket, asked)
            else:
                await self._subscribe(socket, asked)
        return socket

    async def _authenticate(self, socket: web.WebSocketResponse, asked: dict[str, Any]) -> None:
        if self.connections <= self.keys.get(asked["key"], 0):
            await say(socket, "auth", 200, "Authenticated OK")
            return
        await say(socket, "auth", 401, "The API key is unknown here")
        await socket.close()

    async def _subscribe(self, socket: web.WebSocketResponse, asked: dict[str, Any]) -> None:
        pairs = asked["pairs"]
        ignored = [name for name in pairs if name.upper().replace("/", "") not in self.known_pairs]
        if ignored == pairs:
            await say(socket, "subscribe", 400, f"No valid pairs in {ignored}")
        elif len(pairs) > self.most:
            await say(socket, "subscribe", 429, f"Too many pairs: [{len(pairs)}]")
        else:
            await say(socket, "subscribe", 200, "Subscribed to 1 stream", ignored=ignored)
            for frame in self.rounds[self.connections - 1]:
                await socket.send_json(frame)
            if self.connections < len(self.rounds):
                await socket.close()
            else:
                self.then()


async def say(socket: web.WebSocketResponse, op: str, status: int, msg: str, **more: object) -> None:
    await socket.send_json({"op": op, "status": status, "tsp": TSP, "msg": msg, **more})


@pytest.fixture
def stream() -> Iterator[FakeStream]:
    """The fake stream, in a thread of its own."""
    made, loop, is_open = FakeStream(), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        application = web.Application()
        application.router.add_get("/", made.answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        made.port = runner.addresses[0][1]
        is_open.set()
        await stop.wait()
        await runner.cleanup()

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert is_open.wait(10)
    yield made
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Default settings, an empty folder, no colours, a valid key and short timeouts."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("CAMBIST_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show_prices, "_ONCE_SECONDS", 1.0)


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[object, str, str]]:
    """Run the command, and return its exit code, standard output and standard error."""

    def shell(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["cambist", "watch", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return shell


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if "│" in line]


# One table


def test_one_table_is_shown_when_every_pair_has_a_price(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852"), price("XAUUSD", "4000.10", "4000.30")]]
    began = time.monotonic()
    code, out, err = shell("EURUSD", "xau/usd", "--url", stream.url, "--once")
    assert (code, err) == (0, "")
    assert [row[:5] for row in rows(out)] == [
        ["EURUSD", "1.0850", "1.0852", "1.0851", "0.0002"],
        ["XAUUSD", "4000.10", "4000.30", "4000.20", "0.20"],
    ]
    assert time.monotonic() - began < 0.9


def test_a_pair_without_a_price_is_waited_for_until_a_time_limit(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    code, out, _ = shell("EURUSD", "BTCUSD", "--url", stream.url, "--once")
    assert code == 1
    assert [row[:3] for row in rows(out)] == [["EURUSD", "1.0850", "1.0852"], ["BTCUSD", "-", "-"]]
    assert rows(out)[1][-1] == "no fresh price yet"


def test_unknown_pairs_are_reported_once_and_not_waited_for(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    code, out, err = shell("EURUSD", "NOPE", "--url", stream.url, "--once")
    assert (code, err) == (1, "cambist: The stream knows no pair [NOPE]\n")
    assert [(row[0], row[-1]) for row in rows(out)] == [("EURUSD", ""), ("NOPE", "unknown pair")]


@pytest.mark.parametrize(("flags", "name"), [([], "fx"), (["--per-second"], "fx1s")])
def test_it_authenticates_and_subscribes_once_with_unique_pairs(stream, shell, flags, name):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    shell("EURUSD", "eur/usd", "--url", stream.url, "--once", *flags)
    assert stream.requests == [{"op": "auth", "key": KEY}, {"op": "subscribe", "stream": name, "pairs": ["EURUSD"]}]


# The key, and the address


def test_without_the_variable_the_owners_key_is_used(stream, shell, monkeypatch, tmp_path):
    monkeypatch.delenv("CAMBIST_KEY")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "owner.key").write_text(f"{KEY}\n")
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    assert shell("EURUSD", "--url", stream.url, "--once", "--data", str(tmp_path / "kept"))[0] == 0
    assert stream.requests[0]["key"] == KEY


def test_the_address_comes_from_the_settings(stream, shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_STREAM_PORT", str(stream.port))
    monkeypatch.setenv("CAMBIST_HOST", "0.0.0.0")  # noqa: S104  nothing listens there
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    assert shell("EURUSD", "--once")[0] == 0


def test_no_option_takes_a_key(shell):
    code, _, err = shell("EURUSD", "--key", KEY)
    assert code == 2
    assert "No such option" in err


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate whose name is not the address, beside its key."""
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=rates.example.org"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    return tmp_path / "cert.pem"


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
def test_the_services_own_certificate_is_trusted(certificate):
    access = stream_address.stream_address(
        read_settings({"CAMBIST_TLS_CERT": str(certificate), "CAMBIST_TLS_KEY": "k"}, {}), None
    )
    assert access.url == "wss://127.0.0.1:8001"
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(certificate, certificate.with_name("key.pem"))
    shake_hands(access.tls, server)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(ssl.create_default_context(), server)


def shake_hands(client: ssl.SSLContext, server: ssl.SSLContext) -> None:
    """Do a TLS handshake in memory."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(back, there, server_hostname="127.0.0.1")
    theirs = server.wrap_bio(there, back, server_side=True)
    for side in (ours, theirs) * 2:
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert ours.getpeercert(binary_form=True)


# Errors


def error_of(ended: tuple[object, str, str]) -> str:
    code, out, err = ended
    assert (code, out) == (2, "")
    assert err.startswith("cambist: ")
    assert err.count("\n") == 1
    assert KEY not in err
    return err.removeprefix("cambist: ")[:-1]


def test_an_unknown_key_is_refused(stream, shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_KEY", "another")
    sentence = error_of(shell("EURUSD", "--url", stream.url))
    assert sentence == "The stream refuses the key: The API key is unknown here"
    assert stream.connections == 1


def test_no_valid_pair_is_refused(stream, shell):
    assert error_of(shell("NOPE", "--url", stream.url)) == "The stream refuses the pairs: No valid pairs in ['NOPE']"


def test_more_pairs_than_the_plan_allows_are_refused(stream, shell):
    stream.most = 1
    assert error_of(shell("EURUSD", "BTCUSD", "--url", stream.url)).endswith("Too many pairs: [2]")


def test_control_characters_of_the_server_are_escaped(stream, shell):
    stream.known_pairs = set()
    assert "\\x1b" in error_of(shell("A\x1b[2J", "--url", stream.url))


def test_a_missing_stream_is_reported(shell):
    url = "ws://127.0.0.1:1"
    assert error_of(shell("EURUSD", "--url", url)) == f"There is no stream at [{url}]: nothing listens there"


@pytest.mark.parametrize("url", ["127.0.0.1:8001", "http://127.0.0.1:8001", "ws://"])
def test_an_invalid_address_of_a_stream_is_refused(shell, url):
    assert error_of(shell("EURUSD", "--url", url)).startswith(f"Invalid --url: [{url}]")


def test_a_missing_key_and_a_disabled_stream_are_reported(shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_STREAM_PORT", "0")
    assert "[stream_port] is 0" in error_of(shell("EURUSD"))
    monkeypatch.delenv("CAMBIST_STREAM_PORT")
    monkeypatch.delenv("CAMBIST_KEY")
    assert "set the variable CAMBIST_KEY" in error_of(shell("EURUSD"))


def test_the_owners_key_is_not_sent_to_another_machine(shell, monkeypatch, tmp_path):
    monkeypatch.delenv("CAMBIST_KEY")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "owner.key").write_text(f"{KEY}\n")
    assert "not sent to another machine" in error_of(shell("EURUSD", "--url", "ws://rates.example:8001"))


# Lines, the terminal, Ctrl-C


def test_without_a_terminal_each_change_is_a_line_until_ctrl_c(stream, shell):
    first, second = price("EURUSD", "1.0850", "1.0852"), price("EURUSD", "1.0851", "1.0853", TSP + 500)
    stream.rounds = [[first, first, {"op": "price", "sym": "EURUSD", "bid": "NaN", "ask": "1", "tsp": 1}, second]]
    stream.then = lambda: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    code, out, err = shell("EURUSD", "--url", stream.url)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "EURUSD 1.0850 1.0852 2026-11-20T12:00:00.000Z",
        "EURUSD 1.0851 1.0853 2026-11-20T12:00:00.500Z",
    ]


def test_in_a_terminal_a_table_is_redrawn_until_ctrl_c(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852"), price("EURUSD", "1.0851", "1.0853")]]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    program = subprocess.Popen(
        [COMMAND, "watch", "EURUSD", "--url", stream.url], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    try:
        shown = read_until(ours, "▲")
        assert "1.0851" in shown
        assert "Spread" in shown
        program.send_signal(signal.SIGINT)
        assert "\x1b[?25h" in read_until(ours, "\x1b[?25h")  # the cursor is back
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.wait(10)
        os.close(ours)


def read_until(terminal: int, sign: str) -> str:
    text, deadline = b"", time.monotonic() + 20
    while sign not in text.decode(errors="replace"):
        assert time.monotonic() < deadline, text.decode(errors="replace")
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536)
    return text.decode(errors="replace")


# Reconnecting


def stream_client(stream: FakeStream, watch_list: WatchList, said: list[str]) -> StreamClient:
    quickly = ReconnectPolicy(reply_timeout=2, min_pause=0.01, max_pause=0.05)
    return StreamClient(StreamAddress(stream.url, KEY), watch_list, StreamName.FX, lambda: NOON, said.append, quickly)


async def read_changes(client: StreamClient, count: int) -> None:
    """Read this many changes, then stop."""
    async with asyncio.timeout(5):
        changes = client.changes()
        for _ in range(count):
            await anext(changes)
        await changes.aclose()


def test_after_a_lost_connection_the_client_connects_and_subscribes_again(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")], [], [price("EURUSD", "1.0840", "1.0842")]]
    watch_list, said = WatchList(["EURUSD", "NOPE"]), []
    asyncio.run(read_changes(stream_client(stream, watch_list, said), 2))
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
    one = stream_client(stream, watch_list, said)

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
    asyncio.run(read_changes(stream_client(stream, WatchList(["EURUSD"]), said), 2))
    assert said == [f"The stream is lost since 12:00:00 UTC: {why}; connecting again"]


def test_a_loss_is_reported_once_for_any_number_of_attempts(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")], [], []]
    said: list[str] = []

    async def tries() -> None:
        changes = stream_client(stream, WatchList(["EURUSD"]), said).changes()
        await anext(changes)
        stream.most = 0  # no reason to stop: it was allowed before
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await anext(changes)

    asyncio.run(tries())
    assert stream.connections > 3
    assert len(said) == 1


# The watch list


def watch_list_with(*bids: str) -> WatchList:
    watch_list = WatchList(["EURUSD"])
    for second, bid in enumerate(bids):
        as_of = NOON + timedelta(seconds=second)
        watch_list.update("EURUSD", Decimal(bid), Decimal(bid) + Decimal("0.0002"), as_of)
    return watch_list


@pytest.mark.parametrize(
    ("bids", "direction"),
    [
        (["1.1"], Direction.NONE),
        (["1.1", "1.2"], Direction.UP),
        (["1.2", "1.1"], Direction.DOWN),
        (["1.1", "1.2", "1.2"], Direction.UP),
    ],
)
def test_the_direction_is_that_of_the_last_change(bids, direction):
    assert watch_list_with(*bids).prices["EURUSD"].direction is direction


def test_a_repeated_price_is_not_a_change():
    watch_list = watch_list_with("1.1")
    assert not watch_list.update("EURUSD", Decimal("1.1"), Decimal("1.1002"), NOON)
    assert watch_list.update("EURUSD", Decimal("1.1"), Decimal("1.1002"), NOON + timedelta(seconds=1))


def test_mid_spread_and_age_are_of_the_newest_price():
    price = watch_list_with("1.0850").prices["EURUSD"]
    assert (price.mid, price.spread) == (Decimal("1.0851"), Decimal("0.0002"))
    assert price.age(NOON + timedelta(seconds=2.5)) == timedelta(seconds=2.5)
    assert price.age(NOON - timedelta(seconds=1)) == timedelta(0)


def test_pairs_are_watched_once_each_in_their_order():
    watch_list = WatchList(["xau/usd", "EURUSD", "XAUUSD "])
    assert list(watch_list.prices) == ["XAUUSD", "EURUSD"]
    assert not watch_list.is_complete


def test_an_unknown_pair_is_new_only_once():
    watch_list = WatchList(["EURUSD", "x" * 80])
    told = f"{'x' * 64}… 80 characters"  # as the server repeats it
    assert (watch_list.mark_unknown([told]), watch_list.mark_unknown([told])) == ([told], [])
    assert list(watch_list.prices) == ["EURUSD", "X" * 80]
    assert (watch_list.missing_reason("EURUSD"), watch_list.missing_reason("X" * 80)) == (
        "no fresh price yet",
        "unknown pair",
    )


def test_a_loss_keeps_its_first_time_until_the_stream_is_connected():
    watch_list = watch_list_with("1.1")
    assert watch_list.mark_lost(NOON, "gone")
    assert not watch_list.mark_lost(NOON + timedelta(seconds=5), "still gone")
    assert watch_list.disconnection == Disconnection(NOON, "still gone")
    watch_list.mark_connected()
    assert watch_list.disconnection is None


def test_the_table_of_a_lost_stream_is_grey_and_shows_since_when():
    watch_list = watch_list_with("1.1", "1.2")
    assert prices_table(watch_list, NOON).rows[0].style == ""
    watch_list.mark_lost(NOON, "gone [red]away")
    table = prices_table(watch_list, NOON)
    assert table.rows[0].style == "dim"
    assert str(table.caption) == "Lost since 12:00:00 UTC: gone [red]away; connecting again"


@pytest.mark.parametrize(("age", "text"), [("1966026.1", "22d"), ("12.34", "12.3s"), ("10800", "3h"), ("400", "6min")])
def test_the_table_shows_an_age_in_its_largest_unit(age, text):
    table = prices_table(watch_list_with("1.1"), NOON + timedelta(seconds=float(age)))
    assert [str(cell) for cell in table.columns[5].cells] == [text]


def test_arrows_are_ascii_on_a_terminal_without_unicode():
    cells = [
        [*prices_table(watch_list_with("1.1", "1.2"), NOON, ascii_only=plain).columns][6] for plain in (False, True)
    ]
    assert [re.sub(r"\s", "", str(next(iter(column.cells)))) for column in cells] == ["▲", "^"]
