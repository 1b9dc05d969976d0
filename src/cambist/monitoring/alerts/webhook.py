"""Send an alert to a webhook, signed as Standard Webhooks has it, and only to addresses of the internet.

The name is resolved here, each of its addresses is checked, and the connection goes to one that was: a name that
resolves to another address a moment later changes nothing. Redirects are not followed.
"""

from __future__ import annotations

import hmac
import http.client
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from threading import Timer
from urllib.parse import SplitResult

from cambist import __version__
from cambist.accounts.alerts.addresses import check_webhook, is_public
from cambist.accounts.alerts.alerts import AlertEvent
from cambist.errors import BadParameter
from cambist.monitoring.notifications.message import NotificationFailed

SECONDS = 10.0
"""How long a receiver may take in all."""

_PORTS = {"http": 80, "https": 443}
_SECRET_PREFIX = "whsec_"  # noqa: S105  it begins every secret, and is none


def send_webhook(event: AlertEvent, secret: str, now: float, *, allows_private: bool) -> None:
    """Post an event to its address; `now` is in seconds since 1970. Errors: NotificationFailed."""
    try:
        parts = check_webhook(event.address, allows_private=allows_private)
    except BadParameter as error:
        raise NotificationFailed(str(error)) from error
    port = parts.port or _PORTS[parts.scheme]
    connection = _connection(parts, port, _addresses(parts.hostname or "", port, allows_private=allows_private))
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        with closing(connection):
            status = _post(connection, target, event.body.encode(), signed_headers(event, secret, int(now)))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotificationFailed(f"The receiver cannot be reached: {_reason(error)}") from error
    if not 200 <= status < 300:
        raise NotificationFailed(f"The receiver answers with {status}")


def signed_headers(event: AlertEvent, secret: str, now: int) -> dict[str, str]:
    """Return the headers of an event; its id is the same each time that it is sent."""
    name = f"evt_{event.number}"
    signed = f"{name}.{now}.{event.body}".encode()
    mac = hmac.new(b64decode(secret.removeprefix(_SECRET_PREFIX)), signed, sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": f"cambist/{__version__}",
        "webhook-id": name,
        "webhook-timestamp": str(now),
        "webhook-signature": f"v1,{b64encode(mac).decode()}",
    }


def _addresses(host: str, port: int, *, allows_private: bool) -> Sequence[str]:
    """Return the IP addresses of a host. Errors: NotificationFailed if there is none, or one that is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotificationFailed(f"The host {host} cannot be found") from error
    addresses = [str(each[4][0]) for each in found]
    if not allows_private and not all(map(is_public, addresses)):
        raise NotificationFailed(f"The host {host} is not on the internet")
    return addresses


def _connection(parts: SplitResult, port: int, addresses: Sequence[str]) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "http":
        plain = http.client.HTTPConnection(host, port, timeout=SECONDS)
        plain.sock = _connect(addresses, port)
        return plain
    context = ssl.create_default_context()
    secure = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=context)
    raw = _connect(addresses, port)
    try:
        secure.sock = context.wrap_socket(raw, server_hostname=host)
    except OSError as error:
        raw.close()
        raise NotificationFailed(f"The receiver cannot be reached: {_reason(error)}") from error
    return secure


def _connect(addresses: Sequence[str], port: int) -> socket.socket:
    failure: OSError = OSError("no address")
    for address in addresses[:2]:
        try:
            return socket.create_connection((address, port), SECONDS / 2)
        except OSError as error:
            failure = error
    raise NotificationFailed(f"The receiver cannot be reached: {_reason(failure)}") from failure


def _post(connection: http.client.HTTPConnection, target: str, body: bytes, headers: dict[str, str]) -> int:
    """Send a request and return the status; one that sends a byte now and then does not hold the thread."""
    raw = connection.sock
    raw.settimeout(SECONDS)
    deadline = Timer(SECONDS, _shut, (raw,))
    deadline.daemon = True
    deadline.start()
    try:
        connection.request("POST", target, body, headers)
        return connection.getresponse().status
    finally:
        deadline.cancel()


def _shut(raw: socket.socket) -> None:
    """End a connection under a thread that reads from it."""
    try:
        socket.socket.shutdown(raw, socket.SHUT_RDWR)
    except OSError:
        return


def _reason(error: Exception) -> str:
    """Return why something failed, without what the other side has sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is refused: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or type(error).__name__
