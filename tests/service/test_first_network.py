"""A service whose network is there but bad: first a sign-in page answers for everybody, then one source gets through.

The way to the sources is a gateway of this test.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

SIGN_IN = b"<!DOCTYPE html><html><head><title>Welcome to our hotel</title></head><body>Your room?</body></html>"
NAMES = 'xmlns:e="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"'
SENTENCE = "No network: newest rates of 30 October 2026 ("
YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date()


class Gateway(BaseHTTPRequestHandler):
    """Everybody answers with the page of the hotel until somebody has signed in; then the ECB alone is reached."""

    is_signed_in = False
    rate = ""

    def do_GET(self) -> None:
        """Answer as the network has it."""
        if not Gateway.is_signed_in:
            self._send(SIGN_IN, "text/html; charset=utf-8")
        elif self.path.endswith(".xml"):
            cube = f'<Cube time="{YESTERDAY}"><Cube currency="USD" rate="{Gateway.rate}"/></Cube>'
            self._send(f"<e:Envelope {NAMES}><Cube>{cube}</Cube></e:Envelope>".encode(), "text/xml")
        elif "ecb.europa.eu" in self.path:
            self._send(_zipped(f"Date,USD,\n{YESTERDAY},{Gateway.rate},\n"), "application/zip")
        else:
            self.connection.close()

    do_POST = do_GET  # noqa: N815  the name that the server asks for

    def _send(self, body: bytes, media: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _zipped(text: str) -> bytes:
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        archive.writestr("eurofxref-hist.csv", text)
    return packed.getvalue()


@dataclass
class Started:
    data: Path
    port: int
    operator_port: int

    @property
    def log(self) -> str:
        return (self.data.parent / "log").read_text()

    def get(self, path: str, port: int = 0) -> Any:
        key = (self.data / "owner.key").read_text().strip()
        with closing(http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=30)) as connection:
            connection.request("GET", path, headers={"X-API-Key": key})
            return json.loads(connection.getresponse().read())

    def answers(self) -> bool:
        with suppress(OSError, http.client.HTTPException):
            return bool(self.get("/metals/list"))
        return False

    def run(self, *words: str) -> str:
        command = [COMMAND, *words, "--data", str(self.data)]
        settings = environment(CAMBIST_PORT=str(self.port), CAMBIST_OPERATOR_PORT=str(self.operator_port))
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    gateway = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    threading.Thread(target=gateway.serve_forever, daemon=True).start()
    data = tmp_path_factory.mktemp("hotel") / "data"
    copy_first_start(data)
    service = Started(data, free_port(), free_port())
    command = [COMMAND, "serve", "--data", data, "--port", str(service.port)]
    settings = environment(CAMBIST_OPERATOR_PORT=str(service.operator_port))
    settings["CAMBIST_GATEWAY"] = f"http://127.0.0.1:{gateway.server_address[1]}"
    with (
        (data.parent / "log").open("wb") as log,
        ended_in_the_end(subprocess.Popen([os.fspath(word) for word in command], env=settings, stdout=log, stderr=log)),
    ):
        assert until(service.answers, PATIENCE), service.log
        yield service
    gateway.shutdown()
    gateway.server_close()


def test_a_sign_in_page_is_no_network_and_everybody_says_so_in_the_same_words(started: Started) -> None:
    assert until(lambda: "no_network" in started.get("/sources"), PATIENCE, pause=0.5), started.log
    assert started.get("/sources")["no_network"]["sentence"].startswith(SENTENCE)
    assert until(lambda: SENTENCE in started.log, PATIENCE)
    assert started.log.count(SENTENCE) == 1
    assert SENTENCE in json.dumps(started.get("/health/ready", started.operator_port))
    assert SENTENCE in started.run("doctor")
    assert SENTENCE in started.run("rate", "EUR", "USD")


def test_one_source_that_gets_through_is_in_the_book_within_a_minute_or_two(started: Started) -> None:
    assert until(lambda: SENTENCE in started.log, PATIENCE), started.log
    before = started.get("/fetch-one?from=EUR&to=USD")["result"]["USD"]
    Gateway.rate = f"{before * 1.001:.4f}"
    Gateway.is_signed_in = True

    def is_new() -> bool:
        answer = started.get("/fetch-one?from=EUR&to=USD")
        return bool(answer["updated"][:10] == str(YESTERDAY) and answer["result"]["USD"] == float(Gateway.rate))

    assert until(is_new, PATIENCE, pause=0.5), started.log
    assert until(lambda: "Network: sources can be reached again" in started.log, PATIENCE), started.log
    assert "Ingest: 1 of " in started.log
    assert until(lambda: "no_network" not in started.get("/sources"), PATIENCE)
