"""The process of the link."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.redis_server import RedisServer

from cambist.errors import StoreBroken
from cambist.processes import cluster_link
from cambist.processes.cluster_link import link_node
from cambist.processes.process import StopSignal
from cambist.settings import Settings

SUBSCRIBED = rb" sub=[1-9]"


@pytest.fixture(autouse=True)
def _restored_signals() -> Iterator[None]:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    yield
    for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
        signal.signal(number, handler)


def test_it_is_linked_until_it_should_stop(redis_server: RedisServer, tmp_path: Path) -> None:
    clients: list[bytes] = []

    def stop_when_linked() -> None:
        end = time.monotonic() + PATIENCE
        while not re.search(SUBSCRIBED, b"".join(clients)) and time.monotonic() < end:
            clients.append(redis_server.ask("CLIENT", "LIST"))
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=stop_when_linked)
    thread.start()
    link_node(Settings(data=tmp_path, redis=redis_server.url, node="one"), os.getppid())
    thread.join()
    assert re.search(SUBSCRIBED, b"".join(clients))


def test_a_part_that_fails_ends_the_process() -> None:
    class Failing:
        async def run(self) -> None:
            raise StoreBroken("no")

    class Waiting:
        async def run(self) -> None:
            await asyncio.Event().wait()

    with pytest.raises(StoreBroken):
        asyncio.run(cluster_link._run([Waiting(), Failing()], StopSignal(os.getppid())))
