"""Copies of a database: from a folder into PostgreSQL, and back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.postgresql import TestServer, postgresql_server

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.accounts.usage_counters import CounterTotal
from cambist.admin.data_folder.database_copy import copy_database
from cambist.errors import BadParameter, CannotCopy
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.verdict_log import Decision, Judged, VerdictChange
from cambist.pricing.pair import Pair
from cambist.status.environment import Environment
from cambist.status.nodes import NodeStart
from cambist.storage.data_directory import DataDirectory
from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import (
    alert_events,
    alerts,
    editions,
    leadership,
    metadata,
    price_samples,
    quarantine,
    quarantine_decisions,
    quota_leases,
    rule_texts,
    schema_releases,
)

NOON = datetime(2026, 3, 6, 12, 0, 0, 123456, tzinfo=UTC)
DAY = date(2026, 3, 6)
USD, JPY = Pair("EUR", "USD"), Pair("EUR", "JPY")
SIDE = Ohlc(*map(Decimal, ("1.10", "1.30", "1.00", "1.20")))
KEY = mint(lambda alphabet: alphabet[5])
DAYS = 12_000


def ignored(_: str, __: int) -> None:
    """Show no progress."""


_REFUSED = {"reason": "tröö far | off", "received_at": NOON.replace(tzinfo=None), "origin": "a test"}


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A data folder whose tables all have rows, that of fixings several batches."""
    folder = tmp_path / "filled"
    claimed = DataDirectory(folder)
    claimed.claim()
    claimed.release()
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    store.migrate()
    many = [Fixing("ecb", USD, DAY - timedelta(days=back), Decimal("1.10"), published_at=NOON) for back in range(DAYS)]
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "d"), many)
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "e"), [Fixing("ecb", USD, DAY, Decimal("1.2"), 100)])
    store.bars.file([PairBar(USD, Interval.MINUTE, Bar(NOON.replace(microsecond=0), SIDE, SIDE))])
    ann = store.accounts.create(Account(0, "ann", "one"), NewKey(digest(KEY), shown_prefix(KEY), "first"))
    bob = store.accounts.create(Account(0, "bob", "one"))
    store.accounts.delete(bob)
    store.accounts.buy(ann, DAY, 5_000_000_000)
    totals = [CounterTotal(DAY, 7, ann.number, path, 5_000_000_000) for path in ("/a_b", "/aB", "/ab", "/Z", "/ä")]
    store.usage.store_totals(totals)
    store.nodes.join(NodeStart("rates-1", "a", "api", "1.2.0"))
    store.plan_versions.add("[one]\n", "rates-1")
    store.public_keys.add("kid", "x", "rates-1")
    store.verdicts.append("a", [VerdictChange("EUR", 20_000, "fed")], Judged(1, 0))
    store.verdicts.decide(Decision(0, "EUR", 20_000, None, Decimal("0.10"), accepts=False, reason="ü", made_at=NOON))
    store.log_checkpoints.add(1, "a note", 0, NOON)
    lease = {"account_id": ann.number, "period_start": DAY, "node": "rates-1", "granted": 5_000_000_000}
    naive = NOON.replace(tzinfo=None)
    leads = {"epoch": 5_000_000_000, "node": "rates-1", "holder": "h", "taken_at": naive, "expires_at": naive}
    edition = {"name": "1-a-b", "delivery": 1, "rules": "a", "digest": "b", "last_rows": "", "recorded_at": naive}
    with store._engine.begin() as connection:
        connection.execute(editions.insert().values(edition))
        connection.execute(rule_texts.insert().values(digest="a", content=b"rules", recorded_at=naive))
        of_fixing = {"source": "ecb", "base": "EUR", "quote": "JPY", "unit": "", "day": DAY, "nominal": 1, "value": "9"}
        connection.execute(quarantine.insert().values(of_fixing | _REFUSED))
        decision = {"quarantine_id": 1, "state": "rejected", "decided_at": naive}
        connection.execute(quarantine_decisions.insert().values(decision))
        connection.execute(quota_leases.insert().values(lease))
        watched = {"account_id": 1, "definition": "{}", "secret": "", "state": "{}", "created_at": naive}
        connection.execute(alerts.insert().values(watched))
        fired = {"alert_id": 1, "account_id": 1, "at": naive, "way": "stream", "address": "", "body": "{}"}
        connection.execute(alert_events.insert().values(fired))
        connection.execute(price_samples.insert().values(at=1_700_000_000, mids=b"compressed"))
        connection.execute(leadership.insert().values(leads))
    store.close()
    return folder


@pytest.fixture
def server() -> TestServer:
    return postgresql_server()


@pytest.fixture
def database(server: TestServer) -> Iterator[str]:
    """The name of an empty database, without tables."""
    name = server.new_database()
    yield name
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def contents(store: SqlStore) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables that are copied."""
    with store._engine.connect() as connection:
        tables = [table for table in metadata.sorted_tables if table is not schema_releases]
        rows = {table.name: list(map(tuple, connection.execute(table.select()))) for table in tables}
    store.close()
    return {name: sorted(found, key=repr) for name, found in rows.items()}


def in_folder(folder: Path) -> SqlStore:
    return SqlStore(f"sqlite:///{folder / 'cambist.db'}")


@pytest.mark.long
def test_a_copy_into_postgresql_and_back_has_every_row(
    filled: Path, server: TestServer, database: str, tmp_path: Path
) -> None:
    steps: list[int] = []
    totals: list[int] = []
    url = server.url(database)
    copied = copy_database(str(filled), url, lambda _, total: totals.append(total), lambda _, rows: steps.append(rows))
    original = contents(in_folder(filled))
    assert copied == {name: len(rows) for name, rows in original.items()}
    assert min(copied.values()) > 0
    assert (copied["fixings"], totals) == (DAYS + 1, [sum(steps)])
    assert contents(SqlStore(url)) == original
    back = tmp_path / "back"
    back.mkdir()
    assert copy_database(url, str(back), ignored, ignored) == copied
    assert contents(in_folder(back)) == original


def test_new_rows_are_numbered_after_the_copied_ones(filled: Path, server: TestServer, database: str) -> None:
    copy_database(str(filled), server.url(database), ignored, ignored)
    store = SqlStore(server.url(database))
    assert store.accounts.create(Account(0, "eve", "one")).number == 3
    assert (
        store.archive.file(DeliveryRecord("ecb", NOON, "a test", "f"), [Fixing("ecb", JPY, DAY, Decimal(160))]).added
        == 1
    )
    assert [str(one.fixing.value) for one in store.archive.revisions(USD, DAY)] == ["1.10", "1.2"]
    store.close()


@pytest.mark.long
def test_a_second_copy_changes_nothing(filled: Path, server: TestServer, database: str) -> None:
    url = server.url(database)
    first = copy_database(str(filled), url, ignored, ignored)
    assert copy_database(str(filled), url, ignored, ignored) == first


COPY = """
import sys
from cambist.admin.data_folder.database_copy import copy_database
copy_database(sys.argv[1], sys.argv[2], print, lambda *done: (print(*done, flush=True), sys.stdin.readline()))
"""


@pytest.mark.long(every=3)
@pytest.mark.parametrize("batches", [1, 3, 5])
def test_a_copy_that_was_killed_is_continued(filled: Path, server: TestServer, database: str, batches: int) -> None:
    """The process waits after each batch, and is killed after some of them."""
    url = server.url(database)
    command = [sys.executable, "-c", COPY, str(filled), url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(batches):
            assert process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    before = sum(map(len, contents(SqlStore(url)).values()))
    original = contents(in_folder(filled))
    assert 0 < before < sum(map(len, original.values()))
    copy_database(str(filled), url, ignored, ignored)
    assert contents(SqlStore(url)) == original


def test_a_database_with_other_data_is_refused_and_not_changed(filled: Path, server: TestServer, database: str) -> None:
    url = server.url(database)
    other = SqlStore(url)
    other.migrate()
    other.accounts.create(Account(0, "eve", "one"))
    before = contents(other)
    with pytest.raises(CannotCopy, match="other data in the table accounts"):
        copy_database(str(filled), url, ignored, ignored)
    assert contents(SqlStore(url))["accounts"] == before["accounts"]


@pytest.mark.long
def test_a_database_with_more_rows_is_refused(filled: Path, server: TestServer, database: str) -> None:
    url = server.url(database)
    copy_database(str(filled), url, ignored, ignored)
    more = SqlStore(url)
    more.accounts.create(Account(0, "eve", "one"))
    more.close()
    with pytest.raises(CannotCopy, match="other data in the table accounts"):
        copy_database(str(filled), url, ignored, ignored)


@pytest.mark.long
def test_a_row_that_changes_meanwhile_is_found(filled: Path, server: TestServer, database: str) -> None:
    url = server.url(database)
    changed = []

    def change(_: str, __: int) -> None:
        if not changed and server.execute("SELECT count(*) FROM usage", database) == [(5,)]:
            changed.append(server.execute("UPDATE usage SET calls = 1 WHERE endpoint = '/ab'", database))

    with pytest.raises(CannotCopy, match="usage differs"):
        copy_database(str(filled), url, ignored, change)


def test_tables_of_another_program_are_left_alone(filled: Path, server: TestServer, database: str) -> None:
    server.execute("CREATE TABLE notes (id int)", database)
    with pytest.raises(CannotCopy, match="tables of another program"):
        copy_database(str(filled), server.url(database), ignored, ignored)
    assert server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database) == [(1,)]


def test_what_cannot_be_copied_is_refused(filled: Path, tmp_path: Path) -> None:
    def refusal(source: object, target: object) -> str:
        with pytest.raises((BadParameter, CannotCopy)) as refused:
            copy_database(str(source), str(target), ignored, ignored)
        return str(refused.value)

    empty = tmp_path / "empty"
    empty.mkdir()
    assert "are the same database" in refusal(filled, filled)
    assert "there is no folder" in refusal(tmp_path / "none", filled)
    assert "There is no database in" in refusal(empty, filled)
    assert "unknown scheme [mysql]" in refusal(filled, "mysql://db/rates")
    claimed = DataDirectory(filled)
    claimed.claim()
    assert "A service uses the folder" in refusal(filled, empty)
    claimed.release()
    sandbox = DataDirectory(empty)
    sandbox.claim(Environment.SANDBOX)
    sandbox.release()
    assert "is a sandbox" in refusal(filled, empty)


def test_a_database_of_an_older_schema_is_not_copied(filled: Path, tmp_path: Path) -> None:
    older = in_folder(filled)
    with older._engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    older.close()
    (tmp_path / "to").mkdir()
    with pytest.raises(CannotCopy, match="has schema 0001"):
        copy_database(str(filled), str(tmp_path / "to"), ignored, ignored)


def test_a_server_that_is_not_there_is_named(filled: Path, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(CannotCopy, match=r"second database.*cannot be reached") as refused:
        copy_database(str(filled), f"postgresql://u:secret@/x?host={tmp_path}", ignored, ignored)
    assert "secret" not in str(refused.value)
