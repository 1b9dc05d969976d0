"""Small servers on loopback that receive notifications: a webhook and a mail server."""

from __future__ import annotations

import json
import socketserver
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_string, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Webhook(ThreadingHTTPServer):
    """A webhook that answers with `status`, and what it has received: paths, headers and bodies."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _WebhookHandler)
        self.status = 200
        self.received: list[tuple[str, dict[str, str], Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hooks/secret-token?x=1"

    @property
    def texts(self) -> list[str]:
        return [body["text"] for _, _, body in self.received]


class _WebhookHandler(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class MailReceiver(socketserver.ThreadingTCPServer):
    """A mail server: it speaks ESMTP, with TLS if it has a context, and wants `password` if there is one."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, context: ssl.SSLContext | None = None, password: str = "", *, is_secure: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _MailHandler)
        self.context, self.password, self.is_secure = context, password, is_secure
        self.refuses_recipients = False
        self.refused: set[str] = set()
        self.received: list[EmailMessage] = []
        self.commands: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, *_: object) -> None:
        """Say nothing about clients that went away."""


class _MailHandler(socketserver.StreamRequestHandler):
    server: MailReceiver
    timeout = 20

    def handle(self) -> None:
        if self.server.is_secure:
            self._encrypt()
        self._is_known = not self.server.password
        self._say("220 mail.test ready")
        while line := self.rfile.readline().decode().strip():
            word = line.split()[0].upper()
            self.server.commands.append(word if self._is_encrypted else f"plain {word}")
            if word == "QUIT":
                self._say("221 bye")
                return
            getattr(self, f"_on_{word.lower()}", self._on_other)(line)

    @property
    def _is_encrypted(self) -> bool:
        return isinstance(self.connection, ssl.SSLSocket)

    def _encrypt(self) -> None:
        assert self.server.context
        self.connection = self.server.context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def _on_ehlo(self, _line: str) -> None:
        self._say("250-mail.test")
        if self.server.context and not self._is_encrypted:
            self._say("250-STARTTLS")
        if self.server.password:
            self._say("250-AUTH PLAIN")
        self._say("250 SIZE 1000000")

    def _on_starttls(self, _line: str) -> None:
        self._say("220 go ahead")
        self._encrypt()

    def _on_auth(self, line: str) -> None:
        user, password = b64decode(line.split()[2]).decode().split("\0")[1:]
        self._is_known = (user, password) == ("user", self.server.password)
        self._say("235 welcome" if self._is_known else f"535 not you, {user} with {password}")

    def _on_mail(self, _line: str) -> None:
        self._say("250 ok" if self._is_known else "530 who are you?")

    def _on_rcpt(self, line: str) -> None:
        is_refused = self.server.refuses_recipients or any(each in line for each in self.server.refused)
        self._say("550 no such user" if is_refused else "250 ok")

    def _on_data(self, _line: str) -> None:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline().decode()) != ".\r\n":
            lines.append(line)
        self.server.received.append(message_from_string("".join(lines), policy=policy.default))  # type: ignore[arg-type]
        self._say("250 taken")

    def _on_other(self, _line: str) -> None:
        self._say("250 ok")


@contextmanager
def serving(server: Any) -> Iterator[Any]:
    """Run a server in a thread until the end of the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()
