"""Nodes as an operator sees them, over one database; and the one that is lost for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from cambist.accounts.account import Account
from cambist.accounts.quota_leases import LeaseRequest
from cambist.admin.installation import nodes as module
from cambist.admin.installation.nodes import NodeAdmin
from cambist.admin.operators.audit import AuditFilter, audit_entries
from cambist.errors import BadParameter, NotHere, StoreUnreachable
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.nodes import NodeRecord, NodeStart
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PERIOD = date(2026, 11, 1)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a node, over a database that only a test may share."""
    (tmp_path / "environment").write_text("live")
    return Settings(data=tmp_path, database=f"sqlite:///{tmp_path / 'shared.db'}", redis="redis://x", node="a")


@pytest.fixture
def store(settings: Settings) -> Iterator[SqlStore]:
    store = SqlStore(settings.database)
    store.migrate()
    for name, roles in (("a", "api,ingest"), ("b", "api")):
        store.nodes.join(NodeStart(name, "i", roles, "1.2.0"))
    yield store
    store.close()


@pytest.fixture
def admin(settings: Settings, store: SqlStore) -> Iterator[NodeAdmin]:
    assert store
    with NodeAdmin(settings, lambda: NOON, "a test") as admin:
        yield admin


@pytest.fixture
def _b_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NodeRecord, "is_live", property(lambda record: record.start.name != "b"))


def reported(settings: Settings, *names: str, at: datetime = NOON) -> None:
    """Let the link of a node have written what it knows; the first of these leads."""
    nodes = tuple(
        NodeReport(name=name, instance="i", roles=("api",), version="1.2.0", written_at=at, leads=name == names[0])
        for name in names
    )
    write_json_file(DataDirectory(settings.data).cluster_report, ClusterReport(written_at=at, node="a", nodes=nodes))


def test_nodes_are_listed_with_what_they_say_of_themselves(
    admin: NodeAdmin, store: SqlStore, settings: Settings
) -> None:
    store.leadership.take("b", "h", 1000)
    reported(settings, "a", "c")
    found = admin.nodes()
    assert [(node.name, node.leads, node.is_live) for node in found.nodes] == [
        ("a", False, True),
        ("b", True, True),
        ("c", False, True),
    ]
    first, second, third = found.nodes
    assert (first.roles, first.version) == (("api", "ingest"), "1.2.0")
    assert first.report is not None
    assert second.report is None
    assert (third.record, third.roles, third.version) == (None, ("api",), "1.2.0")
    assert (found.problem, found.leader and found.leader.node) == ("", "b")


def test_an_old_report_is_not_shown(admin: NodeAdmin, settings: Settings) -> None:
    reported(settings, "a", at=NOON - timedelta(seconds=20))
    assert [node.report for node in admin.nodes().nodes] == [None, None]


def test_without_the_database_the_live_nodes_that_this_one_knows_of_are_listed(
    admin: NodeAdmin, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(_: object) -> None:
        raise StoreUnreachable("The database cannot be reached: gone")

    monkeypatch.setattr("cambist.storage.sql.nodes.SqlNodes.all", unreachable)
    with pytest.raises(StoreUnreachable):
        admin.nodes()
    reported(settings, "b", "c")
    found = admin.nodes()
    assert [(node.name, node.leads) for node in found.nodes] == [("b", True), ("c", False)]
    assert found.problem == "The database cannot be reached: gone"


@pytest.mark.usefixtures("_b_is_gone")
def test_a_forgotten_node_leaves_its_unspent_calls_to_the_others(
    admin: NodeAdmin, store: SqlStore, settings: Settings
) -> None:
    account = store.accounts.create(Account(0, "ann", "one")).number
    request = LeaseRequest(account, PERIOD, quota=1000, wanted=1000)
    (granted,) = store.quota_leases.grant("b", [request], 2)
    assert granted.granted > 0
    assert admin.forget("b") == granted.granted
    assert [record.start.name for record in store.nodes.all()] == ["a"]
    (entry,) = audit_entries(settings, AuditFilter())
    assert (entry.action, entry.on, entry.detail) == ("nodes.forget", "b", f"{granted.granted} calls are free again")


def test_a_node_that_runs_and_one_that_does_not_exist_cannot_be_forgotten(admin: NodeAdmin, store: SqlStore) -> None:
    with pytest.raises(BadParameter, match=r"The node \[b\] runs: stop it first"):
        admin.forget("b")
    with pytest.raises(BadParameter, match=r"There is no node named \[bb\]; did you mean \[b\]"):
        admin.forget("bb")
    assert len(store.nodes.all()) == 2


def test_a_service_on_one_machine_has_no_nodes(tmp_path: Path) -> None:
    with pytest.raises(NotHere, match=r"setting \[redis\]"):
        module.NodeAdmin(Settings(data=tmp_path), lambda: NOON)
