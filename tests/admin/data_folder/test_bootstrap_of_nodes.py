"""Several nodes that start at once over one empty database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.postgresql import TestServer, postgresql_server

from cambist.accounts.api_key import digest
from cambist.admin.data_folder import bootstrap as module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.errors import CannotStart
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NODES = 3


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package.csv").write_bytes(small_ecb)
    monkeypatch.setattr(module, "CURRENCY_FILE", str(tmp_path / "package.csv"))
    monkeypatch.setattr(module, "import_packaged", lambda *_: None)


@pytest.fixture
def url() -> Iterator[str]:
    server: TestServer = postgresql_server()
    name = server.new_database()
    yield server.url(name)
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def settings(tmp_path: Path, url: str, number: int = 0) -> Settings:
    return Settings(data=tmp_path / f"node{number}", redis="redis://cache", database=url, node=f"node{number}")


def start(chosen: Settings) -> str | None:
    """Start a node as the command does, and release its folder; return the owner's key if it was created."""
    bootstrap = Bootstrap(chosen, lambda: NOON)
    try:
        bootstrap.prepare(lambda _: None)
        return bootstrap.create_owner()
    finally:
        bootstrap.close()
        bootstrap._folder.release()


@pytest.mark.long
def test_nodes_that_start_at_once_prepare_the_database_once(tmp_path: Path, url: str) -> None:
    nodes = [settings(tmp_path, url, number) for number in range(NODES)]
    with ThreadPoolExecutor(NODES) as pool:
        keys = list(pool.map(start, nodes))
    (key,) = [key for key in keys if key is not None]
    with closing(open_store(nodes[0])) as store:
        assert list(store.accounts.by_key()) == [digest(key)]
        assert [account.name for account in store.accounts.all()] == ["owner"]
        assert len(list(store.archive.fixings("ecb"))) == 17
    assert [(node.data / "owner.key").exists() for node in nodes] == [key is not None for key in keys]
    for node in nodes:
        book = RateBookFile(node.data).current()
        assert book is not None
        assert "JPY" in book.quotes


@pytest.mark.long
def test_a_node_waits_for_the_one_that_prepares_the_database(
    tmp_path: Path, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    store, ended = SqlStore(url), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with store.hold_start(0, lambda: None) as is_alone:
            assert is_alone
            starting = pool.submit(start, settings(tmp_path, url))
            starting.add_done_callback(lambda _: ended.set())
            end = time.monotonic() + PATIENCE
            while "Waiting for another node" not in caplog.text and time.monotonic() < end:
                time.sleep(0.02)
            assert not ended.is_set()
            assert store.is_new()
        assert starting.result(PATIENCE) is not None
    store.close()
    assert "Waiting for another node" in caplog.text


def test_a_node_that_waits_too_long_says_so(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OTHER_NODE_SECONDS", 0.3)
    store = SqlStore(url)
    with (
        store.hold_start(0, lambda: None),
        pytest.raises(CannotStart, match="Another node has been preparing the database"),
    ):
        start(settings(tmp_path, url))
    store.close()


def test_the_lock_of_a_node_that_is_gone_is_free(url: str) -> None:
    gone, other = SqlStore(url), SqlStore(url)
    held = gone.hold_start(0, lambda: None)
    assert held.__enter__()
    with other.hold_start(0, lambda: None) as is_alone:
        assert not is_alone
    postgresql_server().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"
    )
    with other.hold_start(PATIENCE, lambda: None) as is_alone:
        assert is_alone
    with pytest.raises(Exception, match="database"):
        held.__exit__(None, None, None)
    gone.close()
    other.close()


def test_a_start_keeps_the_book_that_a_leader_has_published(tmp_path: Path, url: str) -> None:
    node = settings(tmp_path, url)
    start(node)
    file = RateBookFile(node.data)
    first = file.current()
    assert first is not None
    start(node)
    assert file.age_order() == (0, first.version + 1)
    file.publish(first.quoted(), 7)
    start(node)
    assert file.age_order() == (7, first.version)
    last = RateBookFile(node.data).current()
    assert last is not None
    assert last.quoted() == first.quoted()


def test_one_machine_publishes_its_own_book_although_it_was_a_node(tmp_path: Path) -> None:
    alone = Settings(data=tmp_path / "data")
    start(alone)
    file = RateBookFile(alone.data)
    book = file.current()
    assert book is not None
    file.publish(book.quoted(), 7)
    start(alone)
    assert file.age_order() == (0, book.version + 1)
