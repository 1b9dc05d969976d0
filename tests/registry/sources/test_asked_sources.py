"""Asking a source now: a file and a notification, which the ingest process watches."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from tests.patience import PATIENCE

from cambist.registry.sources.asked_sources import ask_source, asked_at, watch_asked_sources
from cambist.storage.data_directory import DataDirectory

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_a_source_is_asked_from_the_next_request_on(tmp_path: Path) -> None:
    folder = DataDirectory(tmp_path)
    ask_source(folder, "ecb", NOON)
    assert (asked_at(folder, "ecb"), asked_at(folder, "fed")) == (NOON, None)

    async def scene() -> None:
        asked = asyncio.Queue()
        sources = {key: partial(asked.put_nowait, key) for key in ("ecb", "fed", "boc")}
        watch = asyncio.create_task(watch_asked_sources(folder, sources))
        await asyncio.sleep(0.3)
        assert asked.empty()
        ask_source(folder, "fed", NOON)
        ask_source(folder, "unknown", NOON)
        assert await asked.get() == "fed"
        ask_source(folder, "ecb", NOON + timedelta(seconds=1))
        assert await asked.get() == "ecb"
        assert asked.empty()
        watch.cancel()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))
