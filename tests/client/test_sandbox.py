"""`Cambist.sandbox()`: a service for the tests of other programs, which leaves nothing behind."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from cambist.client import NO_RETRIES, AsyncCambist, Cambist, errors, sandbox

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def foreign_settings(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Settings of another service in the environment."""
    monkeypatch.setenv("CAMBIST_DATA", str(folder / "other"))
    monkeypatch.setenv("CAMBIST_PATH_PREFIX", "/elsewhere")
    monkeypatch.setenv("CAMBIST_URL", "http://127.0.0.1:1")
    yield
    assert not (folder / "other").exists()


@pytest.mark.long
@pytest.mark.usefixtures("foreign_settings")
def test_a_sandbox_answers_streams_and_is_gone_afterwards(folder: Path) -> None:
    with Cambist.sandbox(seed=7) as client:
        assert client.sources().environment == "sandbox"
        assert client.fetch_one("EUR", "USD").headers.environment == "sandbox"
        first = client.historical(date(2024, 2, 29), "EUR", "USD,JPY").results
        assert [*folder.glob("cambist-sandbox-*/data/owner.key")]
        where = client.configuration
    assert not [*folder.iterdir()]
    port = int(where.url.rpartition(":")[2])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0

    async def again() -> None:
        async with AsyncCambist.sandbox(seed=7) as other:
            assert (await other.historical(date(2024, 2, 29), "EUR", "USD,JPY")).results == first
            async with asyncio.timeout(PATIENCE):
                async for price in other.stream("BTC/USD"):
                    assert price.symbol == "BTCUSD"
                    assert 0 < price.bid < price.ask
                    break

    asyncio.run(again())
    assert not [*folder.iterdir()]


@pytest.mark.long
def test_a_failing_test_ends_the_sandbox_too(folder: Path) -> None:
    urls: list[str] = []

    def failing_test() -> None:
        with Cambist.sandbox() as client:
            urls.append(client.configuration.url)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing_test()
    with pytest.raises(errors.ConnectionFailed):
        Cambist(urls[0], "k", retries=NO_RETRIES).fetch_all()
    assert not [*folder.iterdir()]


@pytest.mark.long
def test_a_taken_port_is_tried_again_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    free_ports, tries = sandbox._free_ports, []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        def ports(count: int) -> list[int]:
            tries.append(count)
            return free_ports(count) if len(tries) > 1 else [port, *free_ports(count - 1)]

        monkeypatch.setattr(sandbox, "_free_ports", ports)
        with Cambist.sandbox() as client:
            assert client.fetch_one("EUR", "USD").rate > 0
    assert len(tries) == 2


def test_a_sandbox_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(sandbox, "_free_ports", lambda _: [70_000, 1, 2])
    with pytest.raises(errors.SandboxFailed, match=r"The sandbox does not start: .*70000"):
        Cambist.sandbox().__enter__()
    assert not [*folder.iterdir()]
