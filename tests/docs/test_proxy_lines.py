"""The lines for nginx and HAProxy in the guide to several nodes, run in front of three nodes of which one is gone.

The nodes are small servers of this test. The first answers 503 to one path, as a node does that cannot know a quota.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tools.ports import free_port

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

GUIDE = Path(__file__).parents[2] / "docs/guides/several-nodes.md"
PROGRAMS = {"nginx": "nginx", "HAProxy": "haproxy"}
NGINX_AROUND = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{lines}
}}
"""


class NodeServer(ThreadingHTTPServer):
    """A node, and the paths that it was asked for; `is_sick` if it answers 503 to `/sick`."""

    daemon_threads = True

    def __init__(self, name: str, *, is_sick: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.name, self.is_sick, self.asked = name, is_sick, list[str]()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Say nothing about connections that a proxy ended."""


class Handler(BaseHTTPRequestHandler):
    """Answers with what a node was asked."""

    protocol_version = "HTTP/1.1"
    server: NodeServer

    def do_GET(self) -> None:
        if self.path != "/openapi.json":
            self.server.asked.append(self.path)
        status = 503 if self.server.is_sick and self.path == "/sick" else 200
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.dumps({"node": self.server.name, "path": self.path, "headers": headers}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Proxy:
    """The proxy, the nodes behind it and what they were asked."""

    def __init__(self, name: str, port: int, sick: NodeServer) -> None:
        self.name, self.port, self.sick = name, port, sick

    def ask(self, path: str, **headers: str) -> tuple[int, dict[str, object]]:
        """Return the status and the body of an answer."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, context=context, timeout=PATIENCE) as answer:  # noqa: S310  https
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, {}


def lines_of(language: str, opening: str) -> str:
    """Return the block of the guide that begins with a line."""
    found = re.search(rf"^```{language}\n({re.escape(opening)}.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert found, opening
    return found[1]


def with_addresses(lines: str, folder: Path, listen: int, nodes: dict[str, int]) -> str:
    """Put in the addresses and the certificate of this test."""
    for address, port in nodes.items():
        assert address in lines
        lines = lines.replace(address, f"127.0.0.1:{port}")
    lines = lines.replace("listen 443 ssl", f"listen 127.0.0.1:{listen} ssl").replace(
        "bind :443", f"bind 127.0.0.1:{listen}"
    )
    for name in ("/etc/ssl/rates.pem", "/etc/ssl/rates.key"):
        lines = lines.replace(name, str(folder / Path(name).name))
    return lines


def make_certificate(folder: Path) -> None:
    """Make a certificate, with its key in the same file, as HAProxy wants it, and also in a file of its own."""
    key, certificate = folder / "rates.key", folder / "rates.pem"
    subject = ["-subj", "/CN=rates.example", "-days", "2"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *subject], check=True, capture_output=True
    )
    certificate.write_text(certificate.read_text() + key.read_text())


def nginx_command(lines: str, folder: Path) -> list[str]:
    """Return the command that runs nginx with the lines."""
    (folder / "nginx.conf").write_text(NGINX_AROUND.format(folder=folder, lines=lines))
    return ["nginx", "-e", str(folder / "error.log"), "-p", str(folder), "-c", str(folder / "nginx.conf")]


def haproxy_command(lines: str, folder: Path) -> list[str]:
    """Return the command that runs HAProxy with the lines."""
    client = "defaults\n    timeout client 30s\n\n"
    (folder / "haproxy.cfg").write_text(client + lines)
    return ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")]


BLOCKS: dict[str, tuple[str, str, Callable[[str, Path], list[str]]]] = {
    "nginx": ("nginx", "upstream cambist_api", nginx_command),
    "HAProxy": ("text", "frontend rates", haproxy_command),
}


@contextlib.contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Run a proxy until the end of the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.monotonic() + PATIENCE
    try:
        while not listens(port):
            assert process.poll() is None, process.stderr and process.stderr.read().decode()
            assert time.monotonic() < end
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2):
        return True
    return False


@pytest.fixture(scope="module", params=list(PROGRAMS))
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The proxy of the guide's lines."""
    for program in (PROGRAMS[request.param], "openssl"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    folder, port, gone = tmp_path_factory.mktemp("proxy"), free_port(), free_port()
    make_certificate(folder)
    sick, well, stream = NodeServer("a", is_sick=True), NodeServer("c"), NodeServer("stream")
    nodes = {
        "10.0.0.11:8000": sick.server_port, "10.0.0.12:8000": gone, "10.0.0.13:8000": well.server_port,
        "10.0.0.11:8001": stream.server_port, "10.0.0.12:8001": gone, "10.0.0.13:8001": stream.server_port,
    }  # fmt: skip
    language, opening, command = BLOCKS[request.param]
    lines = with_addresses(lines_of(language, opening), folder, port, nodes)
    with running(command(lines, folder), port):
        yield Proxy(request.param, port, sick)
    for server in (sick, well, stream):
        server.shutdown()
        server.server_close()


@pytest.mark.long(every=2)
def test_each_request_is_answered_although_a_node_is_gone(proxy: Proxy) -> None:
    answers = [proxy.ask("/live") for _ in range(30)]
    assert [status for status, _ in answers] == [200] * 30
    assert {answer["node"] for _, answer in answers} == {"a", "c"}


@pytest.mark.long(every=2)
def test_what_a_node_cannot_answer_is_repeated_by_haproxy_alone_and_never_takes_the_node_out(proxy: Proxy) -> None:
    statuses = {proxy.ask("/sick")[0] for _ in range(10)}
    assert statuses == ({200} if proxy.name == "HAProxy" else {200, 503})
    assert "/sick" in proxy.sick.asked
    assert "a" in {proxy.ask("/live")[1]["node"] for _ in range(10)}


def test_the_nodes_learn_the_address_of_the_client(proxy: Proxy) -> None:
    headers = proxy.ask("/live")[1]["headers"]
    assert isinstance(headers, dict)
    assert headers["x-forwarded-for"] == "127.0.0.1"


def test_the_stream_goes_to_its_own_port(proxy: Proxy) -> None:
    status, answer = proxy.ask("/stream?symbols=EURUSD", Connection="Upgrade", Upgrade="websocket")
    assert (status, answer["node"], answer["path"]) == (200, "stream", "/stream?symbols=EURUSD")
    headers = answer["headers"]
    assert isinstance(headers, dict)
    assert headers["upgrade"] == "websocket"
