"""Who leads the ingest no longer commits nothing more, whatever it was doing when another node took over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.postgresql import postgresql_url

from cambist.errors import NoLongerLeading, StoreBroken
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import WriteLock, writing
from cambist.storage.sql.backends.postgresql import PostgresqlBackend
from cambist.storage.sql.fencing import check_leads

URLS = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'archive.db'}",
    "postgresql": postgresql_url,
}
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = date(2026, 11, 20)
EURUSD = Pair("EUR", "USD")
PRICE = Ohlc(*map(Decimal, ("1", "1", "1", "1")))
BAR = PairBar(EURUSD, Interval.MINUTE, Bar(NOW, PRICE, PRICE))
LONG = 60.0
TAKEOVERS = 12


@pytest.fixture(params=URLS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url: str = URLS[request.param](tmp_path)
    store = SqlStore(url)
    store.migrate()
    store.close()
    return url


@pytest.fixture
def server_url(tmp_path: Path) -> str:
    return postgresql_url(tmp_path)


@pytest.fixture
def plain(url: str) -> Iterator[SqlStore]:
    """A store that is not fenced, as operators use it."""
    store = SqlStore(url)
    yield store
    store.close()


@pytest.fixture
def fenced(url: str, plain: SqlStore) -> Iterator[SqlStore]:
    """The store of a leader."""
    epoch = plain.leadership.take("berlin", "a", 0)
    store = SqlStore(url, epoch)
    yield store
    store.close()


def take_over(store: SqlStore, node: str = "paris") -> int:
    """Take the term of another holder, however long that takes."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            epoch = store.leadership.take(node, node, LONG)
        except StoreBroken:
            epoch = None
        if epoch is not None:
            return epoch
        assert time.monotonic() < until
        time.sleep(0.1)


def a_fixing(value: str = "1.1") -> Fixing:
    return Fixing("ecb", EURUSD, DAY, Decimal(value))


def a_delivery(digest: str = "d") -> DeliveryRecord:
    return DeliveryRecord("ecb", NOW, "a test", digest)


def file_fixing(store: SqlStore) -> None:
    store.archive.file(a_delivery(), [a_fixing()])


def filed(store: SqlStore) -> list[object]:
    """Return everything that can be filed."""
    bars = store.bars.newest_bars(EURUSD, Interval.MINUTE, None, None, 10)
    return [*store.archive.fixings("ecb"), *bars, *_deliveries(store)]


def _deliveries(store: SqlStore) -> list[datetime]:
    last = store.archive.last_received("ecb", "a test")
    return [] if last is None else [last]


WAYS: dict[str, Callable[[SqlStore], object]] = {
    "a fixing": file_fixing,
    "a bar": lambda store: store.bars.file([BAR]),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_leader_files(plain: SqlStore, fenced: SqlStore, way: str) -> None:
    WAYS[way](fenced)
    assert filed(plain)


@pytest.mark.parametrize("way", WAYS)
def test_a_former_leader_files_nothing(plain: SqlStore, fenced: SqlStore, way: str) -> None:
    take_over(plain)
    with pytest.raises(NoLongerLeading, match="Another node leads the ingest"):
        WAYS[way](fenced)
    assert filed(plain) == []


def test_a_former_leader_removes_no_bars(plain: SqlStore, fenced: SqlStore) -> None:
    plain.bars.file([BAR])
    file_fixing(plain)
    before = filed(plain)
    take_over(plain)
    with pytest.raises(NoLongerLeading):
        fenced.bars.delete_before(Interval.MINUTE, datetime(2027, 1, 1, tzinfo=UTC))
    assert filed(plain) == before


def test_who_never_led_files_nothing(url: str, plain: SqlStore) -> None:
    store = SqlStore(url, 0)
    with pytest.raises(NoLongerLeading):
        file_fixing(store)
    store.close()
    assert filed(plain) == []


def test_a_former_leader_still_reads(plain: SqlStore, fenced: SqlStore) -> None:
    file_fixing(fenced)
    take_over(plain)
    assert filed(fenced) == filed(plain) != []


def test_a_leader_files_while_its_term_is_renewed_and_after_it_expired(plain: SqlStore, fenced: SqlStore) -> None:
    state = plain.leadership.current()
    assert state is not None
    assert state.has_expired
    with writing(fenced._engine, WriteLock.USAGE) as connection:
        check_leads(connection, state.epoch)
        if connection.dialect.name == "postgresql":  # a transaction locks all of SQLite
            assert plain.leadership.renew(state.epoch, "a", LONG)
    file_fixing(fenced)
    assert filed(plain)


def test_two_leaders_at_once_file_once(url: str, plain: SqlStore, fenced: SqlStore) -> None:
    """Both go on filing while the term moves; what the older one files later is not there."""
    epoch = take_over(plain)
    newer = SqlStore(url, epoch)
    newer.archive.file(a_delivery("newer"), [a_fixing("1.3")])
    for value in ("1.2", "1.25"):
        with pytest.raises(NoLongerLeading):
            fenced.archive.file(a_delivery(value), [a_fixing(value)])
    newer.close()
    assert [str(one.fixing.value) for one in plain.archive.revisions(EURUSD, DAY)] == ["1.3"]


def keep_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a takeover end no sessions, as behind a pool that hides their names."""
    monkeypatch.setattr(PostgresqlBackend, "end_sessions", lambda *_: None)


def test_a_takeover_during_a_transaction_ends_it(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_sessions(monkeypatch)
    plain = SqlStore(server_url)
    old = SqlStore(server_url, plain.leadership.take("berlin", "a", 0))

    def write_while_another_takes_over() -> None:
        with writing(old._engine, WriteLock.BARS) as connection:
            connection.exec_driver_sql("INSERT INTO bar_series (base, quote, interval) VALUES ('EUR', 'USD', 'PT1M')")
            take_over(plain)

    with pytest.raises(NoLongerLeading):
        write_while_another_takes_over()
    with plain._engine.connect() as reading:
        assert reading.exec_driver_sql("SELECT * FROM bar_series").all() == []
    old.close()
    plain.close()


def test_a_takeover_waits_for_a_commit_in_progress(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_sessions(monkeypatch)
    plain = SqlStore(server_url)
    first = plain.leadership.take("berlin", "a", 0)
    assert first is not None
    old, has_taken = SqlStore(server_url, first), threading.Event()

    def take() -> int:
        epoch = take_over(plain)
        has_taken.set()
        return epoch

    with ThreadPoolExecutor(1) as pool:
        with writing(old._engine, WriteLock.BARS) as connection:
            connection.exec_driver_sql("INSERT INTO bar_series (base, quote, interval) VALUES ('EUR', 'USD', 'PT1M')")
            check_leads(connection, first)
            taking = pool.submit(take)
            assert not has_taken.wait(1)
        assert taking.result() > first
    with plain._engine.connect() as reading:
        assert len(reading.exec_driver_sql("SELECT * FROM bar_series").all()) == 1
    old.close()
    plain.close()


def test_only_transactions_that_file_may_not_stay_idle_for_long(server_url: str) -> None:
    """What is read may be computed with for longer, as when the rate matrix is built."""
    show = "SHOW idle_in_transaction_session_timeout"
    plain = SqlStore(server_url)
    fenced = SqlStore(server_url, plain.leadership.take("berlin", "a", LONG))
    found = []
    for store in (plain, fenced):
        with writing(store._engine, WriteLock.BARS) as connection:
            found.append(connection.exec_driver_sql(show).scalar_one())
        with store._engine.connect() as connection:
            assert connection.exec_driver_sql(show).scalar_one() == "0"
        store.close()
    assert found == ["0", "15s"]


PAUSED = """\
import os, signal, sys, time
from cambist.errors import StoreBroken
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import WriteLock, writing

url, epoch, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
store = SqlStore(url, epoch)

def pause():
    print("open", flush=True)
    sys.stdin.readline()

NEW = "INSERT INTO bar_series (base, quote, interval) VALUES ('EUR', 'USD', 'PT1M')"
COPY = "COPY bar_series (base, quote, interval) FROM STDIN"
try:
    with writing(store._engine, WriteLock.ARCHIVE) as connection:
        if way == "between statements":
            connection.exec_driver_sql(NEW)
            pause()
        elif way == "before its commit":
            from cambist.storage.sql.fencing import check_leads
            connection.exec_driver_sql(NEW)
            check_leads(connection, epoch)
            pause()
        else:
            driver = connection.connection.driver_connection
            with driver.cursor() as cursor, cursor.copy(COPY) as copy:
                copy.write_row(("EUR", "USD", "PT1M"))
                pause()
except StoreBroken as error:
    print("refused:", error, flush=True)
except Exception as error:
    print("failed:", type(error).__name__, error, flush=True)
else:
    print("committed", flush=True)
"""


@pytest.mark.long(every=3)
@pytest.mark.parametrize("way", ["between statements", "before its commit", "while it sends rows"])
def test_a_leader_that_is_paused_in_a_transaction_stops_nobody_and_stores_nothing(server_url: str, way: str) -> None:
    plain = SqlStore(server_url)
    epoch = plain.leadership.take("berlin", "a", 0)
    child = subprocess.Popen(
        [sys.executable, "-c", PAUSED, server_url, str(epoch), way],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "open\n"
        child.send_signal(signal.SIGSTOP)
        newer = SqlStore(server_url, take_over(plain))
        file_fixing(newer)  # waits for the lock of the paused one, if it still has it
        newer.close()
        child.send_signal(signal.SIGCONT)
        said, _ = child.communicate("go on\n", timeout=PATIENCE)
    finally:
        child.kill()
        child.wait()
    assert said.startswith(("refused:", "failed:")), said
    assert filed(plain) == [a_fixing(), NOW]
    with plain._engine.connect() as reading:
        assert reading.exec_driver_sql("SELECT * FROM bar_series").all() == []
    plain.close()


@pytest.mark.long
def test_what_many_leaders_file_is_stored_in_the_order_of_their_epochs(server_url: str) -> None:
    """The term moves all the time, and every node goes on filing after it has lost it."""
    lost: list[StoreBroken] = []
    led: list[int] = []
    until = time.monotonic() + PATIENCE

    def lead_now_and_then(node: int) -> None:
        plain, count = SqlStore(server_url), 0
        while len(led) < TAKEOVERS and time.monotonic() < until:
            holder = f"{node} {count}"
            try:
                epoch = plain.leadership.take(f"node {node}", holder, 0.01)
            except StoreBroken:
                continue
            if epoch is None:
                continue
            led.append(epoch)
            fenced = SqlStore(server_url, epoch)
            for _ in range(20):
                count += 1
                value = f"{epoch}.{node}{count:06}"
                try:
                    fenced.archive.file(a_delivery(value), [a_fixing(value)])
                except StoreBroken as error:  # another leads, or has ended this session
                    lost.append(error)
            fenced.close()
        plain.close()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(lead_now_and_then, node) for node in range(1, 5)]:
            done.result()
    store = SqlStore(server_url)
    stored = [one.fixing.value for one in store.archive.revisions(EURUSD, DAY)]
    store.close()
    epochs = [int(value) for value in stored]
    assert len(set(epochs)) > 1
    assert epochs == sorted(epochs)
    assert lost
