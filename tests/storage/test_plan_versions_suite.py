"""Tests for every `PlanVersions`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.postgresql import postgresql_url

from cambist.accounts.plan_versions import PlanVersions
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'plans.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}


@pytest.fixture(params=STORES)
def versions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PlanVersions]:
    store = STORES[str(request.param)](tmp_path)
    store.migrate()
    yield store.plan_versions
    store.close()


def test_the_last_plans_are_in_effect(versions: PlanVersions) -> None:
    assert versions.newest() is None
    assert versions.newest_number() == 0
    first = versions.add("[one]\n", "rates-1")
    second = versions.add("[zwei]\n# für zwei\n", "rates-2")
    assert (second.content, second.node) == ("[zwei]\n# für zwei\n", "rates-2")
    assert abs(datetime.now(UTC) - second.activated_at) < timedelta(minutes=10)
    assert first.number < second.number == versions.newest_number()
    assert versions.newest() == second


def test_plans_that_are_in_effect_are_no_new_version_but_older_ones_are(versions: PlanVersions) -> None:
    first = versions.add("[one]\n", "rates-1")
    assert versions.add("[one]\n", "rates-2") == first
    versions.add("[two]\n", "rates-1")
    third = versions.add("[one]\n", "rates-2")
    assert third.number > first.number
    assert versions.newest() == third


def test_nodes_that_start_at_once_add_one_version(tmp_path: Path) -> None:
    store = SqlStore(postgresql_url(tmp_path))
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda node: store.plan_versions.add("[one]\n", f"rates-{node}"), range(8)))
    store.close()
    assert len({one.number for one in added}) == 1
