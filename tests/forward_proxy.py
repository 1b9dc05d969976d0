"""A proxy on loopback: it forwards requests over HTTP, tunnels with CONNECT, and records what it was asked."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
import threading
from base64 import b64encode
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.patience import PATIENCE

LOGIN = "user", "p@ss"
_EXPECTED = f"Basic {b64encode(':'.join(LOGIN).encode()).decode()}"


class ForwardProxy(ThreadingHTTPServer):
    """A proxy that knows hosts by name: `ports` has the port of each on this machine. `asked` has each first line."""

    daemon_threads = True

    def __init__(self, **ports: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ports = {name.replace("_", "."): port for name, port in ports.items()}
        self.wants_login = False
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url_with_login(self) -> str:
        return f"http://user:p%40ss@127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: ForwardProxy
    timeout = 20

    def do_CONNECT(self) -> None:
        if not self._is_known():
            return
        with socket.create_connection(("127.0.0.1", self.server.ports[self.path.partition(":")[0]])) as there:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_copy, args=(there, self.connection))
            back.start()
            _copy(self.connection, there)
            back.join()

    def do_GET(self) -> None:
        if not self._is_known():
            return
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: text for name, text in self.headers.items() if name != "Proxy-Authorization"}
        port = self.server.ports[parts.hostname or ""]
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as there:
            there.request(self.command, parts._replace(scheme="", netloc="").geturl(), body, headers)
            answer = there.getresponse()
            content = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815  the name of the standard library

    def _is_known(self) -> bool:
        self.server.asked.append(f"{self.command} {self.path}")
        self.close_connection = True
        if self.server.wants_login and self.headers.get("Proxy-Authorization") != _EXPECTED:
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False
        return True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def certificate_of(name: str, folder: Path) -> ssl.SSLContext:
    """Make a certificate, `cert.pem` of the folder, and return the context of its server."""
    if not shutil.which("openssl"):
        pytest.skip("a certificate is made with openssl")
    made = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -addext subjectAltName=DNS:{name}"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context
