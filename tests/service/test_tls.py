"""HTTPS by two flags."""

import asyncio
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, environment, until
from tests.service.test_connections import DOCUMENT, established, memory
from tests.service.test_service import starting
from tools.ports import free_port
from websockets.sync.client import connect

from cambist.client import NO_RETRIES, AsyncCambist, Cambist
from cambist.client.errors import ConnectionFailed
from cambist.client.stream_messages import Event, Subscribed

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

UNREAD_OVER_TLS = 200
MOST_OF_UNREAD_OVER_TLS = 180
"""MB that so many unread answers of a large file, and as many silent connections, may take of the workers."""
KEPT, LAST = DOCUMENT, DOCUMENT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


def command(folder: Path, port: int, *more: str) -> list[str]:
    return [COMMAND, "serve", "--data", str(folder / "data"), "--port", str(port), "--workers", "1", *more]


@pytest.fixture
def tls(tmp_path: Path) -> list[str]:
    """Make a certificate, and give the flags of a service that has it."""
    if not shutil.which("openssl"):
        pytest.skip("a certificate is made with openssl")
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    return ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]


def test_the_service_speaks_https_with_a_certificate_and_its_key(tmp_path: Path, tls: list[str]):
    port, stream = free_port(), free_port()
    copy_first_start(tmp_path / "data")
    with (tmp_path / "log").open("wb") as log:
        serve = command(tmp_path, port, *tls, "--stream-port", str(stream))
        service = subprocess.Popen(serve, stdout=log, stderr=log, env=environment(CAMBIST_FETCH="false"))
    try:
        context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        assert status(port, context) == 404
        assert greeting(stream, context)["op"] == "connect"
        check_python_client(tmp_path, port, stream)
        for one in (port, stream):
            assert is_refused_by_a_client_that_does_not_trust_it(one)
        with ThreadPoolExecutor() as threads:
            silent = [(port, None), (stream, None), (port, context), (stream, context)]
            assert all(
                8 < seconds < 20 for seconds in threads.map(lambda one: seconds_until_silence_is_ended(*one), silent)
            )
        time.sleep(0.5)
        log = (tmp_path / "log").read_text()
        assert "Traceback" not in log
        assert "SSL" not in log
    finally:
        service.terminate()
        service.wait(30)


def test_clients_over_tls_that_are_silent_or_do_not_read_are_ended_and_cost_little(tmp_path: Path, tls: list[str]):
    context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    copy_first_start(tmp_path / "data")
    with starting(tmp_path / "data", tmp_path / "logs", *tls) as service, ExitStack() as stack:
        assert status(service.port, context) == 404
        before = memory(service)
        for sent in (b"", DOCUMENT):
            for number in range(UNREAD_OVER_TLS):
                source = (f"127.0.0.{number % 10 + 1}", 0)
                opened = socket.create_connection(("127.0.0.1", service.port), 20, source_address=source)
                client = stack.enter_context(context.wrap_socket(opened, server_hostname="127.0.0.1"))
                client.sendall(sent)
        time.sleep(1)
        assert memory(service) - before < MOST_OF_UNREAD_OVER_TLS
        # Those that are silent have to confirm the end, and do not.
        assert until(lambda: established(service) <= 1, PATIENCE)


def test_an_answer_over_tls_arrives_whole_however_slowly_it_is_read(tmp_path: Path, tls: list[str]):
    context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    copy_first_start(tmp_path / "data")
    with starting(tmp_path / "data", tmp_path / "logs", *tls) as service:
        assert status(service.port, context) == 404
        found = []
        for requests, seconds in (([KEPT, LAST], 0.0), ([LAST], 0.0), ([LAST], 0.01)):
            opened = socket.create_connection(("127.0.0.1", service.port), 20)
            with context.wrap_socket(opened, server_hostname="127.0.0.1") as client:
                client.sendall(b"".join(requests))
                found.append(all_of(client, seconds))
    twice, once, slowly = found
    assert len(once.partition(b"\r\n\r\n")[2]) > 150_000
    assert slowly.partition(b"\r\n\r\n")[2] == once.partition(b"\r\n\r\n")[2]
    assert twice.count(once.partition(b"\r\n\r\n")[2]) == 2


def all_of(client: ssl.SSLSocket, seconds: float) -> bytes:
    """Read to the end, with a pause after each piece."""
    received = bytearray()
    while piece := client.recv(16_384):
        received += piece
        time.sleep(seconds)
    return bytes(received)


def check_python_client(folder: Path, port: int, stream_port: int) -> None:
    """Check that the Python client trusts the authorities that it is given, and no others by itself."""
    key = (folder / "data" / "owner.key").read_text()
    url, context = f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=str(folder / "cert.pem"))
    with Cambist(url, key, tls=context) as client:
        assert client.fetch_one("EUR", "USD").rate > 0
    with Cambist(url, key, retries=NO_RETRIES) as client, pytest.raises(ConnectionFailed, match="certificate"):
        client.fetch_one("EUR", "USD")

    async def first_event(tls: ssl.SSLContext | None) -> Event:
        async with AsyncCambist(url, key, tls=tls) as client:
            return await anext(client.stream("EURUSD", url=f"wss://127.0.0.1:{stream_port}").events())

    assert asyncio.run(first_event(context)) == Subscribed()
    with pytest.raises(ConnectionFailed, match="certificate"):
        asyncio.run(first_event(None))


def status(port: int, context: ssl.SSLContext) -> int:
    deadline = time.monotonic() + 120
    while True:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)
        try:
            connection.request("GET", "/nowhere")
            return connection.getresponse().status
        except OSError:
            assert time.monotonic() < deadline, "it does not answer"
            time.sleep(0.1)
        finally:
            connection.close()


def greeting(port: int, context: ssl.SSLContext) -> dict[str, object]:
    deadline = time.monotonic() + 60
    while True:
        try:
            with connect(f"wss://127.0.0.1:{port}/", ssl=context) as client:
                return json.loads(client.recv(10))
        except OSError:
            assert time.monotonic() < deadline, "nothing is streamed"
            time.sleep(0.1)


def is_refused_by_a_client_that_does_not_trust_it(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            ssl.create_default_context().wrap_socket(connection, server_hostname="127.0.0.1")
    except ssl.SSLCertVerificationError:
        return True
    return False


def seconds_until_silence_is_ended(port: int, context: ssl.SSLContext | None) -> float:
    """Return after how long a client is cut off that says nothing, or nothing after the handshake of TLS."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 45) as connection:
        if context:
            received = ssl.MemoryBIO()
            to_send = ssl.MemoryBIO()
            tls = context.wrap_bio(received, to_send, server_hostname="127.0.0.1")
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    connection.sendall(to_send.read())
                    received.write(connection.recv(65536))
            connection.sendall(to_send.read())
        while connection.recv(100):
            pass
    return time.monotonic() - begun


def test_a_missing_certificate_is_named_before_anything_is_served(tmp_path: Path):
    tls = ["--tls-cert", str(tmp_path / "gone.pem"), "--tls-key", str(tmp_path / "gone.key")]
    refused = subprocess.run(
        command(tmp_path, free_port(), *tls),
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(CAMBIST_FETCH="false"),
        check=False,
    )
    assert refused.returncode == 2
    assert f"The file [{tmp_path / 'gone.pem'}] of the setting [tls_cert] cannot be read" in refused.stderr
    assert "Serving" not in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_certificate_without_its_key_is_refused_in_one_sentence(tmp_path: Path):
    refused = subprocess.run(
        command(tmp_path, 1, "--tls-cert", "cert.pem"),
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(CAMBIST_FETCH="false"),
        check=False,
    )
    assert refused.returncode == 2
    assert "tls_key" in refused.stderr
    assert "Traceback" not in refused.stderr
