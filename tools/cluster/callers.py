"""Clients of a cluster that count what they received, and see whether a price is older than one before it."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.cluster.cluster import PRICE
from tools.cluster.node import Node

_TIMEOUT_SECONDS = 10.0
_RECONNECT_SECONDS = 0.05
_IDLE_SECONDS = 5.0
"""A connection that was idle for longer may just be closed: the nodes close it after ten."""

_OK, _TOO_MANY = 200, 429


@dataclass(frozen=True)
class Failure:
    """A call that was not answered with 200 or 429: of which account, at which node, and why."""

    account: str
    node: int
    reason: str


@dataclass
class Tally:
    """What all callers of an account received. `unknown` calls were sent and may have been counted."""

    account: str
    key: str
    answered: int = 0
    unknown: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    refused_by: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class Record:
    """What is wrong with what callers received, in the order of time."""

    failures: list[Failure] = field(default_factory=list)
    older: list[str] = field(default_factory=list)


@dataclass
class Caller:
    """Calls one node in a thread, one call after another, `rate` times a second; `tally` says for whom."""

    node: Node
    tally: Callable[[], Tally | None]
    record: Record
    rate: float
    _last_price: float = 0.0
    _called_at: float = 0.0
    _connection: http.client.HTTPConnection | None = None
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to call."""
        self._thread = threading.Thread(target=self._run, name=f"caller of {self.node.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the call in flight."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        pause = 1 / self.rate
        while not self._ended.wait(pause):
            tally = self.tally()
            if tally is not None:
                self._call(tally)

    def _call(self, tally: Tally) -> None:
        if time.monotonic() - self._called_at > _IDLE_SECONDS:
            self._disconnect()
        self._called_at = time.monotonic()
        if self._connection is None and not self._connect(tally):
            self._ended.wait(_RECONNECT_SECONDS)
            return
        assert self._connection is not None
        with tally.lock:
            tally.unknown += 1  # until the answer is here
        try:
            self._connection.request("GET", PRICE, headers={"X-API-Key": tally.key})
            response = self._connection.getresponse()
            content = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._fail(tally, f"{type(error).__name__} {error}")
            self._disconnect()
            return
        self._count(tally, response, content)
        if response.will_close:
            self._disconnect()

    def _count(self, tally: Tally, response: http.client.HTTPResponse, content: dict[str, object]) -> None:
        reason = str(response.status) if response.status == _OK else f"{response.status} {content.get('code')}"
        with tally.lock:
            tally.unknown -= 1
            tally.statuses[reason] += 1
            if response.status == _OK:
                tally.answered += int(response.headers["X-Calls-Cost"])
            elif response.status == _TOO_MANY:
                tally.refused_by.add(self.node.number)
        if response.status == _OK:
            self._see(float(content["result"]["USD"]))  # type: ignore[index]
        elif response.status != _TOO_MANY:
            self._fail(tally, reason)

    def _see(self, price: float) -> None:
        """Compare a price with the last one of this connection: the simulated price only rises."""
        if price < self._last_price:
            self.record.older.append(f"{self.node.name} answered {self._last_price}, then {price} on one connection")
        self._last_price = price

    def _fail(self, tally: Tally, reason: str) -> None:
        self.record.failures.append(Failure(tally.account, self.node.number, reason))

    def _connect(self, tally: Tally) -> bool:
        place = self.node.place
        connection = http.client.HTTPConnection(place.address, place.port, timeout=_TIMEOUT_SECONDS)
        try:
            connection.connect()
        except OSError as error:
            self._fail(tally, f"no connection: {error}")
            return False
        self._connection, self._last_price = connection, 0.0
        return True

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.close()
        self._connection = None
