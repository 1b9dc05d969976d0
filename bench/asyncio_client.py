"""A load generator for machines without wrk. It runs in this process, so it may limit the figures itself."""

import asyncio
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from load import CONNECTIONS, HOST, Calls, Load, NotMeasuredError, percentile

GRACE = 10.0  # seconds to wait for the last answers


@dataclass
class Tally:
    """The results of all connections."""

    over: bool = False
    seconds: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)


class Connection(asyncio.Protocol):
    """A keep-alive connection that sends the next request as soon as it has an answer."""

    def __init__(self, draw: Callable[[], bytes], tally: Tally, ended: asyncio.Future[None]) -> None:
        self.draw, self.tally, self.ended = draw, tally, ended
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        """Send a request and record the time."""
        self.received, self.started = b"", time.perf_counter()
        self.transport.write(self.draw())

    def data_received(self, data: bytes) -> None:
        """Count an answer once it is complete, then send the next request."""
        self.received += data
        head, ended, body = self.received.partition(b"\r\n\r\n")
        if not ended or len(body) < _length(head):
            return
        self.tally.seconds.append(time.perf_counter() - self.started)
        if not head.startswith(b"HTTP/1.1 200 "):
            self.tally.troubles.append(head.partition(b"\r\n")[0].decode("latin-1"))
        if self.tally.over:
            self.transport.close()
        else:
            self.ask()

    def connection_lost(self, exc: Exception | None) -> None:
        """Record a connection that the server has closed."""
        if not self.tally.over:
            self.tally.troubles.append(f"connection lost: {exc or 'ended by the server'}")
        self.ended.set_result(None)


def measure_with_asyncio(calls: Calls, seconds: int, seed: int) -> Load:
    """Measure a server from this process for some seconds."""
    tally, started = Tally(), time.perf_counter()
    try:
        asyncio.run(_load(calls, seconds, seed, tally))
    except (OSError, TimeoutError, ValueError) as broken:
        raise NotMeasuredError(f"weak client: {broken or 'no answer in time'}") from broken
    took = time.perf_counter() - started
    if tally.troubles:
        raise NotMeasuredError(f"weak client: {len(tally.troubles)} not answered 200, first {tally.troubles[0]}")
    if not tally.seconds:
        raise NotMeasuredError("weak client got no answers")
    p50, p99 = (percentile(tally.seconds, percent) * 1000 for percent in (50, 99))
    return Load(len(tally.seconds) / took, p50, p99)


async def _load(calls: Calls, seconds: int, seed: int, tally: Tally) -> None:
    """Keep all connections busy until the time is over, then wait for their last answers."""
    loop, requests = asyncio.get_running_loop(), [_request(calls, path) for path in calls.paths]
    chance = random.Random(seed)  # noqa: S311 - the same days in every run, no secret
    ended = [loop.create_future() for _ in range(CONNECTIONS)]
    for one in ended:
        await loop.create_connection(
            lambda one=one: Connection(lambda: chance.choice(requests), tally, one), HOST, calls.port
        )
    await asyncio.wait(ended, timeout=seconds)
    tally.over = True
    await asyncio.wait_for(asyncio.gather(*ended), GRACE)


def _request(calls: Calls, path: str) -> bytes:
    """Return a request as it is sent."""
    headers = {"Host": f"{HOST}:{calls.port}", **calls.headers}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode()


def _length(head: bytes) -> int:
    """Return the length of the body. Chunked answers are not supported."""
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if found is None:
        raise ValueError("an answer without Content-Length")
    return int(found[1])
