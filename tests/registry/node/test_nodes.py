import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cambist import __version__
from cambist.errors import CannotStart, SettingRefused
from cambist.registry.node import nodes
from cambist.registry.node.nodes import check_node, join_nodes, node_name, node_start
from cambist.settings import Settings
from cambist.status.nodes import LIVE_FOR, NodeRecord, NodeRegistry
from cambist.storage.sql import SqlStore

REDIS, DATABASE = "redis://cache", "postgresql://db/rates"


def test_a_node_has_the_name_that_is_set_or_that_of_its_machine() -> None:
    assert node_name(Settings(redis=REDIS, node="rates-1")) == "rates-1"
    assert node_name(Settings(redis=REDIS)) == socket.gethostname()
    assert node_name(Settings(node="rates-1")) == ""


def test_one_machine_and_a_node_with_a_database_server_may_start() -> None:
    check_node(Settings())
    check_node(Settings(redis=REDIS, database=DATABASE, roles="api"))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (Settings(roles="api"), r"set \[redis\], or remove \[roles\]"),
        (Settings(redis=REDIS), r"set \[database\] beside \[redis\]"),
        (Settings(redis=REDIS, database="sqlite:////srv/a.db"), r"set \[database\] beside \[redis\]"),
        (Settings(redis=REDIS, database=DATABASE, sandbox=True), r"A sandbox is alone"),
        (Settings(redis=REDIS, database=DATABASE, stream_workers=16), r"15 stream processes"),
    ],
)
def test_what_cannot_work_is_refused(settings: Settings, reason: str) -> None:
    with pytest.raises(CannotStart, match=reason):
        check_node(settings)


def test_a_wrong_url_of_redis_is_refused_at_the_start() -> None:
    with pytest.raises(SettingRefused, match=r"there is no port 0"):
        check_node(Settings(redis="redis://cache:0", database=DATABASE))


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "find_spec", lambda _name: None)
    with pytest.raises(CannotStart, match=r"needs the package redis.*pip install redis"):
        check_node(Settings(redis=REDIS, database=DATABASE))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[NodeRegistry]:
    store = SqlStore(f"sqlite:///{tmp_path / 'nodes.db'}")
    store.migrate()
    yield store.nodes
    store.close()


def node_in(folder: Path, name: str = "rates-1") -> Settings:
    folder.mkdir(exist_ok=True)
    return Settings(redis=REDIS, database=DATABASE, data=folder, node=name, roles="stream, api")


def never(_seconds: float) -> None:
    raise AssertionError("there is nothing to wait for")


def test_each_start_of_a_node_is_another_instance_which_its_processes_know(
    registry: NodeRegistry, tmp_path: Path
) -> None:
    settings, instances = node_in(tmp_path / "one"), set()
    for _ in range(3):
        join_nodes(settings, registry, never)
        (record,) = registry.all()
        assert record.start == node_start(settings)
        instances.add(record.start.instance)
    assert len(instances) == 3
    assert (record.start.name, record.start.roles, record.start.version) == ("rates-1", "api,stream", __version__)


def test_a_second_node_of_a_name_is_refused_as_soon_as_the_first_one_is_seen_again(
    registry: NodeRegistry, tmp_path: Path
) -> None:
    first, second = node_in(tmp_path / "one"), node_in(tmp_path / "two")
    join_nodes(first, registry, never)
    with pytest.raises(CannotStart, match=r"Another running node has the name \[rates-1\].*setting \[node\]"):
        join_nodes(second, registry, lambda _: None if registry.seen(node_start(first)) else never(0))
    assert [record.start for record in registry.all()] == [node_start(first)]
    join_nodes(node_in(tmp_path / "three", "rates-3"), registry, never)


def test_a_name_is_taken_over_from_a_node_that_was_lost_with_its_folder(
    registry: NodeRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = node_in(tmp_path / "one"), node_in(tmp_path / "two")
    join_nodes(first, registry, never)
    waited: list[float] = []
    gone_after = LIVE_FOR.total_seconds()
    monkeypatch.setattr(NodeRecord, "is_live", property(lambda _: sum(waited) < gone_after))
    join_nodes(second, registry, waited.append)
    assert sum(waited) == gone_after
    assert [record.start for record in registry.all()] == [node_start(second)]
