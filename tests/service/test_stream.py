"""The stream as clients use it: a real service on a simulated market, and a client library that is not ours."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, environment, until
from tests.service.streams import Service, serving
from tools.ports import free_port
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from cambist.clock import utc_now
from cambist.pricing.pair import Pair
from cambist.pricing.trading_hours import is_open
from cambist.storage.shared.rate_book_file import RateBookFile

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

THREE = ["EURUSD", "XAUUSD", "BTCUSD"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("stream")) as service:
        yield service
        log = service.log.read_text()
        assert "Traceback" not in log
        assert service.key not in log.split("\n", 12)[-1]


@pytest.fixture
def client(service: Service) -> Iterator[ClientConnection]:
    with connected_again(service) as client:
        assert hear(client)["op"] == "connect"
        assert exchange(client, op="auth", key=service.key)["msg"] == "Authenticated OK"
        yield client


def hear(client: ClientConnection, seconds: float = PATIENCE) -> dict[str, Any]:
    text = client.recv(seconds)
    assert isinstance(text, str)
    found = json.loads(text)
    assert found["op"] in {"connect", "auth", "subscribe", "unsubscribe", "status", "shutdown", "price", "error"}
    return dict(found)


def exchange(client: ClientConnection, **fields: Any) -> dict[str, Any]:
    """Send a message and return the first reply that is not a price."""
    client.send(json.dumps(fields))
    while (found := hear(client))["op"] == "price":
        pass
    return found


def hear_for(client: ClientConnection, seconds: float) -> list[dict[str, Any]]:
    end, found = time.monotonic() + seconds, []
    while (left := end - time.monotonic()) > 0:
        try:
            found.append(hear(client, left))
        except TimeoutError:
            break
    return found


def closed(client: ClientConnection) -> int:
    """Read to the end, and return the code with which the connection was closed."""
    try:
        while True:
            client.recv(PATIENCE)
    except ConnectionClosed as end:
        return end.rcvd.code if end.rcvd else 1006


def connected_again(service: Service) -> ClientConnection:
    """Try until somebody answers, as clients do that were cut off."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return service.connect()
        except (OSError, WebSocketException):
            assert time.monotonic() < end, "nobody answers"
            time.sleep(0.05)


# Three clients as they are written


def test_a_client_that_waits_for_the_greeting(service: Service) -> None:
    with service.connect() as client:
        greeting = hear(client)
        assert (greeting["op"], greeting["status"]) == ("connect", 200)
        assert abs(greeting["tsp"] / 1000 - time.time()) < 10
        client.send(json.dumps({"op": "auth", "key": service.key}))
        assert hear(client)["msg"] == "Authenticated OK"
        client.send(json.dumps({"op": "subscribe", "stream": "fx", "pairs": THREE}))
        assert hear(client)["msg"] == "Subscribed to 1 stream"
        assert {hear(client)["sym"] for _ in THREE} == set(THREE)


def test_a_client_that_says_all_at_once_when_the_socket_opens(service: Service) -> None:
    with service.connect() as client:
        client.send(json.dumps({"op": "auth", "key": service.key}))
        client.send(json.dumps({"op": "subscribe", "stream": "fx", "pairs": THREE}))
        ops = [hear(client)["op"] for _ in range(6)]
    assert ops == ["connect", "auth", "subscribe", "price", "price", "price"]


def test_a_client_that_compares_frames_to_the_letter(service: Service) -> None:
    with service.connect() as client:
        assert set(hear(client)) == {"op", "status", "tsp", "msg"}
        auth = exchange(client, op="auth", key=service.key)
        assert auth == {"op": "auth", "status": 200, "tsp": auth["tsp"], "msg": "Authenticated OK"}
        found = exchange(client, op="subscribe", stream="fx1s", pairs=["EURUSD"])
        assert found == {"op": "subscribe", "status": 200, "tsp": found["tsp"], "msg": "Subscribed to 1 stream"}
        price = hear(client)
        assert list(price) == ["op", "sym", "bid", "ask", "tsp"]
        assert (price["op"], price["sym"]) == ("price", "EURUSD")
        assert exchange(client, op="subscribe", stream="fx", pairs=["XAUUSD"])["msg"] == "Subscribed to 2 streams"
        refused = exchange(client, op="subscribe", stream="fx", pairs=["ZZZZZZ"])
        assert refused["status"] == 400
        assert "No valid pairs" in refused["msg"]


# Prices


def test_prices_are_strings_and_move_while_their_market_is_open(client: ClientConnection) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=THREE)
    found = [one for one in hear_for(client, 2.5) if one["op"] == "price"]
    for one in found:
        assert isinstance(one["bid"], str)
        assert 0 < Decimal(one["bid"]) <= Decimal(one["ask"])
        assert len(one["bid"].replace(".", "").lstrip("0")) >= 8
        assert type(one["tsp"]) is int
    counts = {symbol: sum(one["sym"] == symbol for one in found) for symbol in THREE}
    assert counts["BTCUSD"] >= 3
    for symbol in ("EURUSD", "XAUUSD"):
        if not is_open(Pair(symbol[:3], symbol[3:]), utc_now()):
            assert counts[symbol] == 1


def test_pair_names_are_accepted_in_any_form_and_a_weak_currency_is_quoted_by_its_size(
    client: ClientConnection,
) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["eur/usd", "Btc/Usd", "IRRUSD"])
    found = {one["sym"]: one for one in hear_for(client, 1) if one["op"] == "price"}
    assert set(found) == {"EURUSD", "BTCUSD", "IRRUSD"}
    assert Decimal(found["IRRUSD"]["bid"]) > 1


def test_the_second_stream_sends_at_most_one_price_a_second_for_each_pair(client: ClientConnection) -> None:
    exchange(client, op="subscribe", stream="fx1s", pairs=["BTCUSD", "ETHUSD"])
    found = [one for one in hear_for(client, 3.5) if one["sym"] == "BTCUSD"]
    assert 3 <= len(found) <= 4


def test_subscribing_again_replaces_and_unsubscribing_ends(client: ClientConnection) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
    exchange(client, op="subscribe", stream="fx", pairs=["ETHUSD"])
    assert {one["sym"] for one in hear_for(client, 1.2)} == {"ETHUSD"}
    assert exchange(client, op="unsubscribe", stream="fx")["status"] == 200
    assert hear_for(client, 1.2) == []


def test_ten_thousand_pairs_are_served_and_one_more_is_refused_whole(
    service: Service, client: ClientConnection
) -> None:
    book = RateBookFile(service.data).current()
    assert book is not None
    names = [f"{base}/{quote}" for base in book.listed for quote in book.listed if base != quote][:10_001]
    refused = exchange(client, op="subscribe", stream="fx", pairs=names)
    assert (refused["op"], refused["status"]) == ("subscribe", 429)
    assert exchange(client, op="subscribe", stream="fx", pairs=names[:10_000])["status"] == 200
    symbols: set[str] = set()
    end = time.monotonic() + 20
    while len(symbols) < 9_900 and time.monotonic() < end:
        symbols.add(hear(client)["sym"])
    assert len(symbols) >= 9_900


# What goes wrong


def test_a_wrong_key_is_401_and_the_socket_closes(service: Service) -> None:
    with service.connect() as client:
        assert exchange(client, op="nothing")["op"] == "connect"
        while (found := hear(client))["op"] != "error":
            pass
        assert found["status"] == 400
        assert exchange(client, op="auth", key="nonsense")["status"] == 401
        assert closed(client) == 1008


def test_misuse_gets_an_error_and_does_not_affect_other_connections(service: Service, client: ClientConnection) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
    with service.connect() as other:
        assert hear(other)["op"] == "connect"
        assert exchange(other, op="subscribe", stream="fx", pairs=["BTCUSD"])["status"] == 401
        assert exchange(other, op="auth", key=service.key)["status"] == 200
        assert exchange(other, op="auth", key=service.key) | {"tsp": 0, "msg": ""} == {
            "op": "error",
            "status": 400,
            "tsp": 0,
            "msg": "",
        }
        other.send("garbage")
        assert hear(other)["op"] == "error"
        other.send(b"\x00\x01")
        assert hear(other)["op"] == "error"
        assert closed(other) == 1003
    with service.connect() as other:
        other.send("x" * 1_000_000)
        assert closed(other) == 1009
    assert [hear(client)["op"] for _ in range(3)] == ["price"] * 3


def handshake(service: Service, **headers: str) -> str:
    """Ask for a WebSocket with these headers beside the usual ones, and return the head of the answer."""
    usual = {
        "Host": "x",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    lines = (usual | {name.replace("_", "-"): value for name, value in headers.items()}).items()
    with socket.create_connection(("127.0.0.1", service.port), 10) as raw:
        head = "".join(f"{name}: {value}\r\n" for name, value in lines if value)
        raw.sendall(f"GET / HTTP/1.1\r\n{head}\r\n".encode())
        return raw.recv(2000).partition(b"\r\n\r\n")[0].decode().lower()


@pytest.mark.parametrize("version", ["", "8", "7", "12", "14"])
def test_another_version_than_13_is_refused_with_the_supported_one(service: Service, version: str) -> None:
    head = handshake(service, Sec_WebSocket_Version=version)
    assert head.startswith("http/1.1 426 ")
    assert "sec-websocket-version: 13" in head.split("\r\n")


def test_a_request_without_an_upgrade_is_refused_with_the_protocol(service: Service) -> None:
    head = handshake(service, Upgrade="", Connection="")
    assert head.startswith("http/1.1 426 ")
    assert "upgrade: websocket" in head.split("\r\n")


@pytest.mark.parametrize(
    ("offered", "accepted"), [("cambist", "cambist"), ("v2.prices, v1.prices", "v2.prices"), ("", ""), ("a b", "")]
)
def test_the_first_subprotocol_that_is_offered_is_accepted(service: Service, offered: str, accepted: str) -> None:
    head = handshake(service, Sec_WebSocket_Protocol=offered)
    assert head.startswith("http/1.1 101 ")
    found = [line.partition(": ")[2] for line in head.split("\r\n") if line.startswith("sec-websocket-protocol")]
    assert found == ([accepted] if accepted else [])


def test_a_client_that_offers_subprotocols_is_connected(service: Service) -> None:
    address = f"ws://127.0.0.1:{service.port}/"
    with connect(address, subprotocols=[Subprotocol("prices"), Subprotocol("other")], compression=None) as client:
        assert client.subprotocol == "prices"
        assert hear(client)["op"] == "connect"


def test_a_message_in_parts_is_one_message(client: ClientConnection) -> None:
    client.send(['{"op":"sub', 'scribe","stream":"fx",', '"pairs":["EURUSD"]}'])
    assert hear(client)["msg"] == "Subscribed to 1 stream"


def test_many_unauthenticated_connections_do_not_affect_others(service: Service, client: ClientConnection) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
    crowd = []
    for _ in range(1100):
        crowd.append(socket.create_connection(("127.0.0.1", service.port)))
        crowd[-1].sendall(UPGRADE.replace(b"Upgrade\r\nSec", b"keep-alive, Upgrade\r\nSec"))
    assert [hear(client)["op"] for _ in range(4)] == ["price"] * 4
    crowd[-1].settimeout(10)
    assert until(lambda: b'"status":429' in crowd[-1].recv(4096), PATIENCE)
    for one in crowd:
        one.close()


UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def send_on(raw: socket.socket, frames: bytes) -> None:
    for _ in range(100_000):
        raw.sendall(frames)


@pytest.mark.parametrize(
    "frame",
    [b"\x89\xfd\x00\x00\x00\x00" + b"x" * 125, b"\x00\x80\x00\x00\x00\x00", b"\x81\x87\x00\x00\x00\x00garbage"],
    ids=["pings", "empty parts of a message", "garbage"],
)
def test_a_client_that_floods_and_reads_nothing_is_closed_without_a_log_line(
    service: Service, client: ClientConnection, frame: bytes
) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
    before = service.log.read_text()
    with socket.create_connection(("127.0.0.1", service.port), 10) as raw:
        raw.sendall(UPGRADE)
        with pytest.raises(OSError, match=r"reset|[Bb]roken|abort"):
            send_on(raw, frame * 200)
    assert [hear(client)["op"] for _ in range(3)] == ["price"] * 3
    assert service.log.read_text() == before


def test_a_ping_is_answered(service: Service) -> None:
    with service.connect() as client:
        assert hear(client)["op"] == "connect"
        assert client.ping(b"there?").wait(10)


@pytest.mark.long
def test_connections_of_a_revoked_key_and_a_suspended_account_are_closed_soon(service: Service) -> None:
    shown = service.run("account", "create", "shop", "--plan", "premium")
    key = next(word for word in shown.split() if word.startswith("cmb_"))
    with service.connect() as client:
        assert hear(client)["op"] == "connect"
        assert until(lambda: exchange(client, op="auth", key=key)["status"] in {200, 400}, PATIENCE)
        service.run("account", "suspend", "shop")
        assert closed(client) == 1008


# What dies


def test_a_killed_stream_process_is_replaced_and_serves_new_connections(service: Service) -> None:
    with service.connect() as client:
        assert exchange(client, op="status")["op"] == "connect"
        service.kill(2)
        assert closed(client) == 1006
    with connected_again(service) as client:
        client.send(json.dumps({"op": "auth", "key": service.key}))
        client.send(json.dumps({"op": "subscribe", "stream": "fx", "pairs": ["BTCUSD"]}))
        while hear(client)["op"] != "price":
            pass


def test_a_killed_sandbox_process_leaves_the_sockets_open(client: ClientConnection, service: Service) -> None:
    exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
    hear(client)
    service.kill(1)
    assert exchange(client, op="status")["op"] == "status"
    for _ in range(3):
        next_price(client)


@pytest.mark.long
def test_a_stopping_service_sends_a_status_and_closes_the_connections(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.connect() as client:
        assert hear(client)["op"] == "connect"
        assert exchange(client, op="auth", key=service.key)["status"] == 200
        service.process.terminate()
        assert hear(client)["op"] == "shutdown"
        assert closed(client) == 1001
        assert service.process.wait(20) == 0
        assert "Traceback" not in service.log.read_text()


@pytest.mark.long
def test_a_stream_process_that_is_stopped_from_outside_is_restarted(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.kill(2, signal.SIGTERM)
        assert until(lambda: "The stream was stopped from outside" in service.log.read_text(), PATIENCE)
        with connected_again(service) as client:
            assert hear(client)["op"] == "connect"
        assert "died" not in service.log.read_text()


@pytest.mark.long
def test_a_taken_stream_port_is_logged_and_the_service_goes_on(service: Service, tmp_path: Path) -> None:
    log = tmp_path / "log"
    copy_first_start(tmp_path / "data", is_sandbox=True)
    arguments = [
        "--sandbox",
        "--data",
        tmp_path / "data",
        "--port",
        str(free_port()),
        "--stream-port",
        str(service.port),
    ]
    with log.open("wb") as to:
        command = [COMMAND, "serve", "--workers", "1", *arguments]
        process = subprocess.Popen(command, env=environment(), stdout=to, stderr=to)
    try:
        assert until(lambda: f"Stream: cannot listen on 127.0.0.1 port {service.port}" in log.read_text(), 2 * PATIENCE)
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.long
def test_two_stream_processes_share_the_port_and_one_that_is_killed_comes_back(tmp_path: Path) -> None:
    with serving(tmp_path, "--stream-workers", "2") as service, ExitStack() as stack:
        assert until(lambda: service.log.read_text().count("Stream: ws://") == 2, 2 * PATIENCE), service.log.read_text()
        # The kernel chooses a process for each connection: of twenty, each has some.
        clients = [stack.enter_context(service.connect()) for _ in range(20)]
        for client in clients:
            assert hear(client)["op"] == "connect"
            assert exchange(client, op="auth", key=service.key)["status"] == 200
            exchange(client, op="subscribe", stream="fx", pairs=["BTCUSD"])
        for client in clients:
            assert float(next_price(client)) > 0
        service.kill(2)
        killed = closed_among(clients)
        assert 0 < len(killed) < len(clients)
        for client in clients:
            if client not in killed:
                assert float(next_price(client)) > 0
        assert until(lambda: service.log.read_text().count("Stream: ws://") == 3, 2 * PATIENCE), service.log.read_text()
        again = [stack.enter_context(service.connect()) for _ in range(20)]
        assert {hear(client)["op"] for client in again} == {"connect"}
        service.kill(2)  # the other one: the first has been started again, after the workers
        assert 0 < len(closed_among(again)) < len(again)


def next_price(client: ClientConnection) -> str:
    """Return the bid of the next price."""
    while (found := hear(client))["op"] != "price":
        pass
    return str(found["bid"])


def closed_among(clients: list[ClientConnection]) -> list[ClientConnection]:
    """Return the connections that are lost, after two seconds of reading from all at once."""
    with ThreadPoolExecutor(len(clients)) as pool:
        return [client for client, closed in zip(clients, pool.map(is_closed, clients), strict=True) if closed]


def is_closed(client: ClientConnection) -> bool:
    """Read for two seconds; say whether the connection was lost meanwhile."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        try:
            client.recv(0.2)
        except TimeoutError:
            continue
        except ConnectionClosed:
            return True
    return False
