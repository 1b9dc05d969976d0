"""The socket that a worker listens on, with the deadlines that only the kernel can enforce."""

from __future__ import annotations

import socket
from typing import Any

from cambist.errors import CannotStart

_UNREAD_MILLISECONDS = 10_000
"""How long a client may leave data unread before the kernel closes the connection."""

_UNSENT_BYTES = 64 * 1024
"""How much unsent data the kernel may buffer; Linux would buffer 4 MB."""

_OPTIONS = (("TCP_NODELAY", 1), ("TCP_USER_TIMEOUT", _UNREAD_MILLISECONDS), ("TCP_NOTSENT_LOWAT", _UNSENT_BYTES))


def free_address(host: str, port: int) -> str:
    """Resolve `host`, check that the port is free, and return the address. Errors: CannotStart."""
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


def bind_socket(address: str, port: int) -> socket.socket:
    """Return a socket bound to an address that all workers share; its connections inherit its options."""
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    for name, value in _OPTIONS:
        option: Any = getattr(socket, name, None)  # not every system has each
        if option is not None:
            bound.setsockopt(socket.IPPROTO_TCP, option, value)
    bound.bind((address, port))
    return bound
