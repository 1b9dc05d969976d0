"""A data folder in use, for the tests of backups."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.admin.backups import DAY, NOON, PATH, open_database

from cambist.accounts.account import Account
from cambist.accounts.plan import default_plans
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters


@pytest.fixture
def used_folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder in use: 7 counted calls of an account, of which the database has 3."""
    folder = tmp_path / "data"
    directory = DataDirectory(folder)
    directory.claim()
    store = open_database(folder)
    store.migrate()
    rates = [Fixing("ecb", Pair("EUR", "USD"), DAY - timedelta(days=back), Decimal("1.1")) for back in range(500)]
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "d"), rates)
    number = store.accounts.create(Account(0, "ann", "one")).number
    counters = WorkerCounters(folder / "ledger", [PATH], 1)
    counters.spend(number, PATH, 3, DAY)
    UsageWriter(folder / "ledger").write(store.usage, DAY)
    counters.spend(number, PATH, 4, DAY)
    for name in ("plans.toml", "plans.current"):
        (folder / name).write_text(default_plans())
    (folder / "sources").mkdir()
    (folder / "sources" / "own bank.toml").write_text("# mine\n")
    (folder / "audit.log").write_bytes(b'{"one":1}\n{"half":')
    (folder / "owner.key").write_text("of the owner\n")
    (folder / "keys").mkdir()
    (folder / "keys" / "signing.key").write_text("of the owner, too\n")
    (folder / "rates.image").write_bytes(b"made again")
    yield folder
    counters.close()
    store.close()
    directory.release()
