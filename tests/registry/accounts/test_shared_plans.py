"""The plans of several nodes, each with a folder of its own, over one database."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from cambist.accounts.account import Account
from cambist.accounts.plan import default_plans
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.errors import PlansRefused, StoreUnreachable
from cambist.registry.accounts.plans import activate_plans, current_plans
from cambist.registry.accounts.shared_plans import apply_plan_version, publish_shared_plans
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

OTHER = '[guest]\ntags = ["currency"]\n[unlimited]\ntags = ["admin"]\n'
UNREADABLE = "[guest]\nlike_never_before = true\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'shared.db'}")
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> DataDirectory:
    return new_folder(tmp_path / "one")


def new_folder(path: Path) -> DataDirectory:
    path.mkdir()
    return DataDirectory(path)


def start(folder: DataDirectory, store: SqlStore, node: str = "rates-1") -> set[str]:
    return set(publish_shared_plans(folder, data_changes(folder.path), [], store.plan_versions, node))


def test_the_first_node_shares_its_plans_and_a_second_one_takes_them(
    folder: DataDirectory, tmp_path: Path, store: SqlStore
) -> None:
    folder.plans.write_text(OTHER)
    assert start(folder, store) == {"guest", "unlimited"}
    newest = store.plan_versions.newest()
    assert newest is not None
    assert (newest.content, newest.node) == (OTHER, "rates-1")
    second = new_folder(tmp_path / "two")
    assert start(second, store, "rates-2") == {"guest", "unlimited"}
    assert second.plans.read_text() == second.plans_in_force.read_text() == OTHER
    assert not second.previous_plans.exists()
    assert store.plan_versions.newest() == newest


def test_without_any_plans_all_nodes_have_the_defaults(folder: DataDirectory, store: SqlStore) -> None:
    start(folder, store)
    newest = store.plan_versions.newest()
    assert newest is not None
    assert newest.content == default_plans() == folder.plans.read_text()


def test_a_file_that_was_edited_while_the_node_was_stopped_is_kept_as_the_previous_one(
    folder: DataDirectory, store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    start(folder, store)
    folder.plans.write_text("# half done\n")
    store.plan_versions.add(OTHER, "rates-2")
    assert start(folder, store) == {"guest", "unlimited"}
    assert folder.plans.read_text() == folder.plans_in_force.read_text() == OTHER
    assert folder.previous_plans.read_text() == "# half done\n"
    assert "was changed, but not put into effect" in caplog.text


def test_a_version_is_applied_once_and_workers_are_notified_of_it(folder: DataDirectory, store: SqlStore) -> None:
    start(folder, store)
    changes = data_changes(folder.path)
    before = changes.version(Topic.PLANS)
    version = store.plan_versions.add(OTHER, "rates-2")
    assert apply_plan_version(folder, version, changes)
    assert changes.version(Topic.PLANS) != before
    assert set(current_plans(folder.path)) == {"guest", "unlimited"}
    assert folder.previous_plans.read_text() == default_plans()
    seen = changes.version(Topic.PLANS)
    folder.plans.write_text("# being edited\n")
    assert not apply_plan_version(folder, version, changes)
    assert changes.version(Topic.PLANS) == seen
    assert folder.plans.read_text() == "# being edited\n"


def test_plans_of_a_newer_cambist_that_cannot_be_read_leave_the_old_ones_in_effect(
    folder: DataDirectory, tmp_path: Path, store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    before = start(folder, store)
    version = store.plan_versions.add(UNREADABLE, "rates-2")
    with pytest.raises(PlansRefused, match=r"from the node rates-2.*like_never_before"):
        apply_plan_version(folder, version, data_changes(folder.path))
    with caplog.at_level(logging.WARNING):
        assert start(folder, store) == before
    assert "the old plans stay in effect" in caplog.text
    assert folder.plans.read_text() == default_plans()
    with pytest.raises(PlansRefused):
        start(new_folder(tmp_path / "two"), store)


def test_plans_that_cannot_be_shared_are_not_put_into_effect(folder: DataDirectory, store: SqlStore) -> None:
    start(folder, store)
    changes = data_changes(folder.path)
    before = changes.version(Topic.PLANS)

    def unreachable(_text: str) -> None:
        raise StoreUnreachable("The database cannot be reached: gone")

    with pytest.raises(StoreUnreachable):
        activate_plans(folder.path, OTHER, changes, unreachable)
    assert folder.plans_in_force.read_text() == default_plans()
    assert changes.version(Topic.PLANS) == before


@pytest.fixture
def node(tmp_path: Path, store: SqlStore) -> Settings:
    """Settings of a node, over a database that only a test may share."""
    store.accounts.create(Account(0, "owner", "unlimited"))
    return Settings(data=tmp_path / "one", database=f"sqlite:///{tmp_path / 'shared.db'}", redis="redis://x", node="n")


def test_plans_that_an_operator_reloads_on_a_node_are_those_of_all(
    node: Settings, folder: DataDirectory, store: SqlStore
) -> None:
    start(folder, store)
    folder.plans.write_text(default_plans() + "\n# more\n")
    with AccountAdmin(node, utc_now) as admin:
        admin.reload_plans()
    newest = store.plan_versions.newest()
    assert newest is not None
    assert (newest.content, newest.node) == (default_plans() + "\n# more\n", "n")


def test_plans_that_a_signal_reloads_on_a_node_are_those_of_all(
    node: Settings, folder: DataDirectory, store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    start(folder, store)
    bootstrap = Bootstrap(node, utc_now)
    folder.plans.write_text(OTHER)
    bootstrap.reload_plans()
    newest = store.plan_versions.newest()
    assert newest is not None
    assert newest.content == OTHER
    folder.plans.write_text("[guest")
    bootstrap.reload_plans()
    assert store.plan_versions.newest() == newest
    assert "the old plans stay in effect" in caplog.text
