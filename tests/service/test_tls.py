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
from pathlib import Path

import pytest
from tests.service.processes import COMMAND, environment, free_port
from websockets.sync.client import connect

from cambist.client import NO_RETRIES, AsyncCambist, Cambist
from cambist.client.errors import ConnectionFailed
from cambist.client.stream_messages import Event, Subscribed

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def command(folder: Path, port: int, *more: str) -> list[str]:
    return [COMMAND, "serve", "--data", str(folder / "data"), "--port", str(port), "--workers", "1", *more]


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
def test_the_service_speaks_https_with_a_certificate_and_its_key(tmp_path: Path):
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    port, stream = free_port(), free_port()
    tls = ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]
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
            assert all(8 < seconds < 20 for seconds in threads.map(seconds_until_silence_is_ended, (port, stream)))
        time.sleep(0.5)
        log = (tmp_path / "log").read_text()
        assert "Traceback" not in log
        assert "SSL" not in log
    finally:
        service.terminate()
        service.wait(30)


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


def seconds_until_silence_is_ended(port: int) -> float:
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 25) as connection:
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
        timeout=30,
        env=environment(CAMBIST_FETCH="false"),
        check=False,
    )
    assert refused.returncode == 2
    assert "tls_key" in refused.stderr
    assert "Traceback" not in refused.stderr
