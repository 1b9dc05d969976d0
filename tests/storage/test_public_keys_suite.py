"""Tests for every `PublicKeys`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.postgresql import postgresql_url

from cambist.receipts.signing_key import PublicKeys
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'keys.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}


@pytest.fixture(params=STORES)
def public_keys(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublicKeys]:
    store = STORES[str(request.param)](tmp_path)
    store.migrate()
    yield store.public_keys
    store.close()


def test_the_newest_key_of_each_node_is_current(public_keys: PublicKeys) -> None:
    assert public_keys.all() == []
    for kid, node in (("a", "rates-1"), ("b", "rates-2"), ("c", "rates-1")):
        public_keys.add(kid, f"x of {kid}", node)
    found = public_keys.all()
    assert [(key.kid, key.x, key.node) for key in found] == [
        ("a", "x of a", "rates-1"),
        ("b", "x of b", "rates-2"),
        ("c", "x of c", "rates-1"),
    ]
    assert [key.kid for key in found if key.is_current] == ["b", "c"]
    assert all(abs(datetime.now(UTC) - key.created_at) < timedelta(minutes=10) for key in found)


def test_a_key_that_is_there_is_not_added_again(public_keys: PublicKeys) -> None:
    public_keys.add("a", "x", "rates-1")
    public_keys.add("b", "y", "rates-1")
    public_keys.add("a", "x", "rates-1")
    assert [(key.kid, key.is_current) for key in public_keys.all()] == [("a", False), ("b", True)]
