"""The socket that a worker listens on, with the deadlines that only the kernel can keep."""

from __future__ import annotations

import socket
from typing import Any

from cambist.errors import CannotStart

_UNREAD_MILLISECONDS = 10_000
"""How long a client may leave unread what it was sent: afterwards the kernel ends the connection."""

_UNSENT_BYTES = 64 * 1024
"""How much of an answer the kernel may hold that is not sent yet; Linux would take 4 MB of it."""

_OPTIONS = (("TCP_NODELAY", 1), ("TCP_USER_TIMEOUT", _UNREAD_MILLISECONDS), ("TCP_NOTSENT_LOWAT", _UNSENT_BYTES))


def free_address(host: str, port: int) -> str:
    """Resolve `host` and make sure that nobody listens there. Errors: CannotStart."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CannotStart(
            f"Cannot listen on {host} port {port}: {error.strerror}; stop what is there, or choose another port: "
            "[cambist serve --port 8100], [make serve PORT=8100] or CAMBIST_PORT=8100"
        ) from error
    return str(address[0])


def bound(address: str, port: int) -> socket.socket:
    """Bind to an address that the other workers bind to as well; connections inherit the options."""
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    for name, value in _OPTIONS:
        option: Any = getattr(socket, name, None)  # not every system has each
        if option is not None:
            bound.setsockopt(socket.IPPROTO_TCP, option, value)
    bound.bind((address, port))
    return bound
