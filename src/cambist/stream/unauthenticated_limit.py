"""The limit of connections without a key, those among them that have not even completed the handshake."""

from __future__ import annotations

from cambist.accounts.addresses import Networks
from cambist.http.connection_limit import ConnectionLimit
from cambist.stream.admission import MAX_UNAUTHENTICATED
from cambist.stream.server import StreamServer

MAX_OF_ONE_ADDRESS = 2 * MAX_UNAUTHENTICATED
"""How many of one address may be open: half of them after the handshake, where they are refused with a reply."""

MAX_IN_ALL = 10_000


class UnauthenticatedLimit(ConnectionLimit):
    """Closes connections without a key above the limits; those with one are not counted."""

    def __init__(self, port: int, server: StreamServer, proxies: Networks) -> None:
        super().__init__(port, MAX_IN_ALL, MAX_OF_ONE_ADDRESS, proxies)
        self._server = server

    def descriptors(self) -> list[int]:
        """Return the descriptors of the process but those of connections that have authenticated."""
        with_key = self._server.descriptors_with_key()
        return [each for each in super().descriptors() if each not in with_key]
