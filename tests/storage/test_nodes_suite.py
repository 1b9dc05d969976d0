"""Tests for every `NodeRegistry`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.postgresql import postgresql_url

from cambist.status.nodes import LIVE_FOR, NodeRecord, NodeRegistry, NodeStart
from cambist.storage import Store
from cambist.storage.sql import SqlStore

URLS = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'nodes.db'}",
    "postgresql": postgresql_url,
}
FIRST = NodeStart("rates-1", "a", "api,stream", "1.2.0")
SECOND = NodeStart("rates-2", "b", "ingest", "1.2.0")
AGAIN = NodeStart("rates-1", "c", "api", "1.3.0")


@pytest.fixture(params=URLS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(URLS[str(request.param)](tmp_path))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = SqlStore(url)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def nodes(store: Store) -> NodeRegistry:
    return store.nodes


def silence(url: str, name: str, time: timedelta) -> None:
    """Let a node have been seen a while ago, as if the database's clock had gone on."""
    engine = create_engine(url)
    kind = "strftime('%Y-%m-%d %H:%M:%f000', seen_at, :by)" if url.startswith("sqlite") else "seen_at + :by ::interval"
    with engine.begin() as connection:
        connection.execute(
            text(f"UPDATE nodes SET seen_at = {kind} WHERE name = :name"),  # noqa: S608
            {"by": f"-{time.total_seconds()} seconds", "name": name},
        )
    engine.dispose()


def only(nodes: NodeRegistry) -> NodeRecord:
    (found,) = nodes.all()
    return found


def test_nodes_are_listed_by_name_as_they_started(nodes: NodeRegistry) -> None:
    assert nodes.join(SECOND) is nodes.join(FIRST) is None
    first, second = nodes.all()
    assert (first.start, second.start) == (FIRST, SECOND)
    assert first.is_live
    assert second.is_live
    assert timedelta() <= first.silent < LIVE_FOR
    assert abs(first.seen_at - first.started_at) < LIVE_FOR


def test_a_name_is_refused_to_a_second_instance_while_the_first_is_live(nodes: NodeRegistry) -> None:
    nodes.join(FIRST)
    found = nodes.join(AGAIN)
    assert found is not None
    assert found.start == FIRST
    assert only(nodes).start == FIRST
    assert nodes.join(SECOND) is None


def test_the_last_start_of_the_same_node_is_no_other_instance(nodes: NodeRegistry) -> None:
    nodes.join(FIRST)
    assert nodes.join(AGAIN, previous="b") is not None
    assert nodes.join(AGAIN, previous="a") is None
    assert only(nodes).start == AGAIN
    assert nodes.join(AGAIN) is None


def test_a_name_is_free_when_its_node_has_not_been_seen_for_a_while(nodes: NodeRegistry, url: str) -> None:
    nodes.join(FIRST)
    silence(url, "rates-1", LIVE_FOR - timedelta(seconds=5))
    assert nodes.join(AGAIN) is not None
    silence(url, "rates-1", timedelta(seconds=5))
    assert not only(nodes).is_live
    assert nodes.join(AGAIN) is None
    assert only(nodes).start == AGAIN
    assert only(nodes).is_live


def test_a_node_is_seen_until_another_instance_has_its_name(nodes: NodeRegistry, url: str) -> None:
    nodes.join(FIRST)
    silence(url, "rates-1", timedelta(seconds=60))
    before = only(nodes)
    assert before.silent >= timedelta(seconds=60)
    assert nodes.seen(FIRST)
    assert only(nodes).silent < LIVE_FOR
    assert only(nodes).started_at == before.started_at
    assert nodes.join(AGAIN, previous="a") is None
    assert not nodes.seen(FIRST)
    assert nodes.seen(AGAIN)


def test_a_node_that_was_forgotten_is_not_seen_until_it_joins_again(nodes: NodeRegistry) -> None:
    assert not nodes.forget("rates-1")
    nodes.join(FIRST)
    nodes.join(SECOND)
    assert nodes.forget("rates-1")
    assert only(nodes).start == SECOND
    assert not nodes.seen(FIRST)
    assert nodes.join(FIRST) is None
    assert nodes.seen(FIRST)
