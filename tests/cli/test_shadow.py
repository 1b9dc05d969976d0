"""`cambist shadow` as it is started, asked and ended, and the words with which it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.monitoring.receivers import serving

RATES = {"success": True, "base": "EUR", "date": "2026-11-20", "rates": {"USD": 1.0845}}
KEY = "THEIRKEY4711"


class _Service(ThreadingHTTPServer):
    """A service on loopback that has one answer."""

    daemon_threads = True

    def __init__(self, answer: object) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = json.dumps(answer).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Service

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.send_header("X-Calls-Cost", "1")
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def services() -> Iterator[tuple[str, str]]:
    """The addresses of two services, of which the second has another rate."""
    ours = {**RATES, "rates": {"USD": 1.2}}
    with serving(_Service(RATES)) as first, serving(_Service(ours)) as second:
        yield first.url, second.url


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cambist", "shadow", *arguments]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    return {**kept, "CAMBIST_KEY": "cmb_OURKEY0815", "NO_COLOR": "1"}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.long
def test_a_program_asks_through_it_and_the_report_says_what_would_change(
    tmp_path: Path, services: tuple[str, str]
) -> None:
    started = subprocess.Popen(
        command("--theirs", services[0], "--ours", services[1], "--port", "0"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(60, started.kill)
    watchdog.start()
    with started:
        assert started.stderr is not None
        found = re.match(r"Ask (http://127\.0\.0\.1:\d+) in place of", started.stderr.readline())
        assert found is not None
        for _ in range(2):
            asked = f"{found[1]}/latest?access_key={KEY}&symbols=USD"
            with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310  an address of loopback
                assert json.load(answer) == RATES
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate()
    watchdog.cancel()
    assert started.returncode == 0
    assert "cambist shadow report differences.jsonl" in said
    assert "Traceback" not in said
    log = (tmp_path / "differences.jsonl").read_text(encoding="utf-8")
    assert len(log.splitlines()) == 2
    assert KEY not in log + said
    report = run(tmp_path, "report", "differences.jsonl")
    assert report.stdout.startswith("Of 2 requests 0 would have the same answer.\n")
    assert "theirs 1.0845, ours 1.2" in report.stdout
    as_json = json.loads(run(tmp_path, "report", "differences.jsonl", "--format", "json").stdout)
    assert (as_json["total"]["calls"], as_json["endpoints"][0]["endpoint"]) == (2, "/latest")
    page = run(tmp_path, "report", "differences.jsonl", "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")


@pytest.mark.long(every=7)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Missing --theirs"),
        (["--theirs", "api.example.com"], "Invalid --theirs: [api.example.com]"),
        (["--theirs", f"https://user:{KEY}@api.example.com"], "Invalid --theirs: [api.example.com]"),
        (["--theirs", f"https://api.example.com/?app_id={KEY}"], "it takes an address without a key"),
        (
            ["--theirs", "https://api.example.com/v6/0123456789abcdefKEY"],
            "Invalid --theirs: [https://api.example.com/v6/…]",
        ),
        (["--theirs", "https://api.example.com", "--ours", "x"], "Invalid --ours: [x]"),
        (["--theirs", "https://api.example.com", "--tolerance", "-1%"], "Invalid --tolerance: [-1%]"),
        (["--theirs", "https://api.example.com", "--prefix", "fixer"], "Invalid --prefix: [fixer]"),
        (["--theirs", "http://127.0.0.1:8080"], "is where the proxy listens"),
        (["--theirs", "https://api.example.com", "--log", "none/x"], "The log of differences cannot be written"),
        (["report", "none.jsonl"], "There is no log [none.jsonl]"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    port = ["--port", "0"] if "none/x" in arguments else []
    ended = run(tmp_path, *arguments, *port)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert sentence in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert KEY not in ended.stderr
    assert list(tmp_path.glob("differences*")) == []


@pytest.mark.long
def test_a_port_in_use_is_named_and_no_log_is_begun(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        ended = run(tmp_path, "--theirs", "https://api.example.com", "--ours", "http://127.0.0.1:1", "--port", port)
    assert (ended.returncode, list(tmp_path.iterdir())) == (2, [])
    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use" in ended.stderr
