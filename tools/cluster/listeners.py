"""Clients of the streams of a cluster, which see whether a price is older than the last, and how long none came."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, field

from tools.cluster.callers import Record
from tools.cluster.node import Node
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

_PAIR = "BTC/USD"
_TIMEOUT_SECONDS = 5.0
_RECONNECT_SECONDS = 0.2


@dataclass
class Listener:
    """Holds one connection to the stream of a node in a thread, and connects again when it is lost."""

    node: Node
    key: str
    record: Record
    prices: int = 0
    _heard_at: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def silence(self) -> float:
        """For how many seconds no price came."""
        return time.monotonic() - self._heard_at

    def start(self) -> None:
        """Begin to listen."""
        threading.Thread(target=self._run, name=f"listener of {self.node.name}", daemon=True).start()

    def stop(self) -> None:
        """Listen no longer, after the next message."""
        self._ended.set()

    def _run(self) -> None:
        place = self.node.place
        while not self._ended.is_set():
            with (
                contextlib.suppress(OSError, WebSocketException),
                connect(f"ws://{place.address}:{place.stream_port}", open_timeout=_TIMEOUT_SECONDS) as connection,
            ):
                connection.send(json.dumps({"op": "auth", "key": self.key}))
                connection.send(json.dumps({"op": "subscribe", "stream": "fx", "pairs": [_PAIR]}))
                self._listen(connection)
            self._ended.wait(_RECONNECT_SECONDS)

    def _listen(self, connection: ClientConnection) -> None:
        """Compare each price with the last one of the connection: the simulated price only rises."""
        last = 0.0
        while not self._ended.is_set():
            message = json.loads(connection.recv(timeout=_TIMEOUT_SECONDS))
            if message["op"] != "price":
                continue
            price = float(message["bid"])
            if price < last:
                self.record.older.append(f"the stream of {self.node.name} sent {last}, then {price}")
            last, self._heard_at, self.prices = price, time.monotonic(), self.prices + 1
