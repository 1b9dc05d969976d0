"""The lines for HAProxy in the guide to monitoring, run in front of two nodes of which one wants no requests."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import until
from tools.ports import free_port

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

GUIDE = Path(__file__).parents[2] / "docs/guides/monitor.md"
AROUND = """\
defaults
    mode http
    timeout connect 1s
    timeout client 10s
    timeout server 10s
frontend all
    bind 127.0.0.1:{port}
    default_backend cambist_api
"""


class Node(ThreadingHTTPServer):
    """A node that has its health checks on the port of the API."""

    daemon_threads = True

    def __init__(self, name: str) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.name, self.wants_traffic, self.checked = name, True, set[str]()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answers(BaseHTTPRequestHandler):
    server: Node

    def do_GET(self) -> None:
        is_check = self.path == "/health/traffic"
        if is_check:
            self.server.checked.add(self.headers["Host"])
        body = self.server.name.encode()
        self.send_response(503 if is_check and not self.server.wants_traffic else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def nodes() -> Iterator[tuple[Node, Node]]:
    pair = Node("rates-1"), Node("rates-2")
    yield pair
    for node in pair:
        node.shutdown()
        node.server_close()


@pytest.fixture
def port(nodes: tuple[Node, Node], tmp_path: Path) -> Iterator[int]:
    """The port of a HAProxy with the lines of the guide."""
    if not shutil.which("haproxy"):
        pytest.skip("HAProxy is not installed")
    found = re.search(r"^```haproxy\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found
    lines = found[1].replace("check port 8002", "check")
    for number, node in enumerate(nodes, 1):
        address = f"10.0.0.1{number}:8000"
        assert address in lines
        lines = lines.replace(address, f"127.0.0.1:{node.server_port}")
    port = free_port()
    (tmp_path / "haproxy.cfg").write_text(AROUND.format(port=port) + lines)
    proxy = subprocess.Popen(["haproxy", "-db", "-q", "-f", str(tmp_path / "haproxy.cfg")])
    try:
        yield port
    finally:
        proxy.terminate()
        proxy.wait(10)


def answering(port: int) -> set[str]:
    """Return which nodes answer four requests; none without a proxy that answers."""
    try:
        return {
            urllib.request.urlopen(f"http://127.0.0.1:{port}/fetch-one", timeout=5).read().decode() for _ in range(4)
        }
    except (urllib.error.URLError, OSError):
        return set()


@pytest.mark.long
def test_a_node_that_wants_no_requests_gets_none_until_it_does_again(port: int, nodes: tuple[Node, Node]) -> None:
    assert until(lambda: answering(port) == {"rates-1", "rates-2"}, PATIENCE)
    nodes[0].wants_traffic = False
    assert until(lambda: answering(port) == {"rates-2"}, PATIENCE)
    nodes[0].wants_traffic = True
    assert until(lambda: answering(port) == {"rates-1", "rates-2"}, PATIENCE)
    assert nodes[0].checked == {"localhost"}
