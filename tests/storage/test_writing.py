"""Tests for transactions that write: they wait for each other, also if they read before they write."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import func, select
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import WriteLock, writing
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.schema.accounts import accounts

URLS = {"sqlite": lambda folder: f"sqlite:///{folder / 'writing.db'}", "postgresql": postgresql_url}


@pytest.fixture(params=URLS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    url = URLS[str(request.param)](tmp_path)
    store = SqlStore(url)
    store.migrate()
    yield url
    store.close()


def test_a_transaction_that_reads_first_can_write_while_others_want_to(url: str) -> None:
    engine, other = open_engine(url), SqlStore(url)
    begins = Event()

    def create() -> Account:
        begins.set()
        return other.accounts.create(Account(0, "second", "one"))

    with ThreadPoolExecutor(1) as pool:
        with writing(engine, WriteLock.ACCOUNTS) as connection:
            assert connection.execute(select(func.count()).select_from(accounts)).scalar_one() == 0
            second = pool.submit(create)
            assert begins.wait(60)
            with pytest.raises(TimeoutError):
                second.result(0.3)
            connection.execute(
                accounts.insert().values(name="first", plan="one", created_at=datetime(2026, 11, 29, tzinfo=UTC))
            )
        assert second.result(60).number == 2
    engine.dispose()
    other.close()
