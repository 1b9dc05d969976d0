"""Shared by the tests of ingest: a source, a server on the loopback, and an event loop that skips waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Self, TypeVar
from zoneinfo import ZoneInfo

import pytest

from cambist.pricing.source_kind import Pace
from cambist.sources.base import EVERY_DAY, Redistribution, Schedule, Source

T = TypeVar("T")
Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
"""An answer as it goes over the wire, or what writes one."""

SOON = Schedule(every=timedelta(milliseconds=40), pause=timedelta(), days=EVERY_DAY)


def a_source(key: str = "mint", **rest: Any) -> Source:
    """Return a source; it is polled again at once, unless `rest` says otherwise."""
    facts: dict[str, Any] = {
        "name": "The Mint",
        "home": "https://mint.example/",
        "terms": "https://mint.example/terms",
        "licence": "a test's",
        "redistribution": Redistribution.ALLOWED,
        "pace": Pace.DAILY,
        "covers": "what a test needs",
        "zone": ZoneInfo("UTC"),
        "first_day": date(2000, 1, 1),
        "schedule": SOON,
    }
    return Source(key=key, **facts | rest)


@dataclass(frozen=True)
class Asked:
    """A request that a host received; the names of `headers` are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Host:
    """A source on the loopback that sends its answers in turn, and the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self._tasks: set[asyncio.Task[Any] | None] = set()
        self.asked: list[Asked] = []
        self.netloc = ""

    @staticmethod
    def answer(status: int = 200, body: bytes = b"", media: str = "application/json", **headers: str) -> bytes:
        """Return an HTTP answer as bytes; write headers as `Retry_After`."""
        lines = {"Content-Type": media, "Content-Length": str(len(body)), "Connection": "close"}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"HTTP/1.1 {status} So\r\n{head}\r\n".encode() + body

    @property
    def url(self) -> str:
        return f"http://{self.netloc}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.netloc = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        try:
            self.asked.append(await _request(reader))
            answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Asked:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, target, _ = first.split()
    return Asked(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer when nothing else is to be done: hours pass at once.

    Not for tests with a network: waiting for an answer counts as nothing to be done.
    """

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self.skipped += max(self._scheduled[0]._when - self.time(), 0)
        super()._run_once()


def skipping(scene: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine without waiting."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        return runner.run(scene)


@pytest.fixture(name="a_source")
def _a_source() -> Callable[..., Source]:
    """Build a source."""
    return a_source


@pytest.fixture(name="host")
def _host() -> type[Host]:
    """A host to be made with its answers: `async with host(host.answer(200, b"…")) as there`."""
    return Host


@pytest.fixture(name="skipping")
def _skipping() -> Callable[[Coroutine[Any, Any, T]], T]:
    """Run a coroutine on an event loop that skips waiting."""
    return skipping
