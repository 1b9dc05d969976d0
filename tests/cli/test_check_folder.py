"""`cambist check FOLDER` compares a folder with what it was made from: archive, editions, counters, the signed log."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from tests.cli.conftest import CommandResult

from cambist.accounts.account import Account
from cambist.clock import utc_now
from cambist.registry.archiving.snapshots import open_snapshot_source
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters

Shell = Callable[..., CommandResult]


@pytest.fixture(scope="module")
def kept_edition_folder(prepared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a rate matrix whose edition is recorded; tests copy it."""
    folder = Path(shutil.copytree(prepared_folder, tmp_path_factory.mktemp("edition") / "data"))
    settings = Settings(data=folder)
    store = open_store(settings)
    supply = open_snapshot_source(settings, store)
    write_rate_matrix(folder / "rates.image", supply.record_edition(supply.build_matrix(utc_now()), store))
    store.close()
    return folder


@pytest.fixture
def edition_folder(folder: Path, kept_edition_folder: Path) -> Path:
    """The data folder of the shell with that rate matrix and edition."""
    return Path(shutil.copytree(kept_edition_folder, folder, dirs_exist_ok=True))


def change(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "cambist.db") as connection:
        assert connection.execute(statement).rowcount >= 1
    connection.close()


def parts(ended: CommandResult) -> dict[str, str]:
    """Return what was found of each part."""
    lines = [line for line in ended.out.splitlines() if not line.startswith(" ")]
    return dict(line.split(": ", 1) for line in lines)


@pytest.mark.long
def test_a_folder_is_checked_wherever_it_is(shell: Shell, edition_folder: Path) -> None:
    moved = edition_folder.rename(edition_folder.parent / "restored")
    ended = shell("check", str(moved))
    assert ended.code == 0
    assert set(parts(ended).values()) == {"sound"}
    assert "leave one out" in shell("check", str(moved), "--data", str(moved)).err
    assert "There is no service's data in" in shell("check", str(moved.parent)).err


@pytest.mark.long
def test_a_folder_without_a_rate_matrix_is_compared_with_its_newest_edition(shell: Shell, edition_folder: Path) -> None:
    (edition_folder / "rates.image").unlink()
    ended = shell("check", str(edition_folder))
    assert (ended.code, parts(ended)["rate image"]) == (0, "not built yet: the next start builds it")
    assert shell("check", str(edition_folder), "--json").json[-3]["note"] == "not built yet: the next start builds it"


@pytest.mark.long
def test_an_archive_that_gives_other_rates_than_the_edition_is_damaged(shell: Shell, edition_folder: Path) -> None:
    change(edition_folder, "UPDATE fixings SET value = '9' WHERE day = '2026-03-06' AND series_id = 1")
    for _ in range(2):  # with the rate matrix, and without
        ended = shell("check")
        assert (ended.code, parts(ended)["rate image"]) == (1, "damaged")
        assert "the fixings of the archive give another rate matrix than the edition" in ended.out
        (edition_folder / "rates.image").unlink(missing_ok=True)


def test_a_rate_matrix_with_a_changed_rate_is_damaged_although_its_checksum_is_right(
    shell: Shell, edition_folder: Path
) -> None:
    path = edition_folder / "rates.image"
    matrix = open_rate_matrix(path)
    cells = np.array(matrix.cells_by_day)
    cells[matrix.row(date(2026, 3, 6))] *= 1.0001
    write_rate_matrix(path, replace(matrix, cells=memoryview(cells.reshape(-1))))
    ended = shell("check")
    assert parts(ended)["rate image"] == "damaged"
    assert "it is not what its edition" in ended.out


def test_what_was_filed_after_the_rate_matrix_was_built_does_not_count(shell: Shell, edition_folder: Path) -> None:
    change(
        edition_folder,
        "INSERT INTO deliveries (source, received_at, origin, digest, added, corrected) "
        "VALUES ('ecb', '2026-03-08 00:00:00.000000', 'a test', 'e', 0, 0)",
    )
    assert parts(shell("check"))["rate image"] == "sound"


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE editions SET digest = 'f' || substr(digest, 2)", "another digest than its name"),
        ("UPDATE editions SET delivery = 7", "which is not its own"),
        ("DELETE FROM deliveries", "the archive ends with 0"),
        ("UPDATE rule_texts SET content = CAST('x' AS BLOB) WHERE length(digest) = 64", "is missing or changed"),
        ("DELETE FROM rule_texts WHERE length(digest) = 12", "are missing"),
    ],
)
def test_a_damaged_edition_is_named(shell: Shell, edition_folder: Path, statement: str, fault: str) -> None:
    connection = sqlite3.connect(edition_folder / "cambist.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement)
    connection.close()
    ended = shell("check")
    assert (ended.code, parts(ended)["editions"]) == (1, "damaged")
    assert fault in ended.out


def test_a_log_that_the_editions_do_not_continue_is_damaged(shell: Shell, edition_folder: Path) -> None:
    note = "cambist/log\n9\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— cambist/log AAAA\n"
    connection = sqlite3.connect(edition_folder / "cambist.db", isolation_level=None)
    connection.execute("INSERT INTO log_checkpoints VALUES (9, ?, '2026-03-08 00:00:00.000000')", (note,))
    connection.close()
    ended = shell("check")
    assert parts(ended)["editions"] == "damaged"
    assert "The log has 9 entries, the database 1" in ended.out


def test_a_damaged_counter_is_named_with_its_file(shell: Shell, edition_folder: Path) -> None:
    counters = WorkerCounters(edition_folder / "ledger", ["/fetch-one"], 1)
    counters.spend(1, "/fetch-one", 3, utc_now().date())
    counters.close()
    path = next((edition_folder / "ledger").glob(f"{utc_now().date()}.*.page"))
    content = bytearray(path.read_bytes())
    at = next(place for place in range(4096, len(content), 8) if any(content[place : place + 8]))
    content[at] ^= 1
    path.write_bytes(content)
    ended = shell("check")
    assert (ended.code, parts(ended)["usage counters"]) == (1, "damaged")
    assert f"{path.name}: 1 counters of the account 1 are damaged" in ended.out


def counted(folder: Path) -> None:
    """Count three calls, and store them as the usage writer does."""
    counters = WorkerCounters(folder / "ledger", ["/fetch-one"], 1)
    counters.spend(1, "/fetch-one", 3, utc_now().date())
    counters.close()
    store = open_store(Settings(data=folder))
    store.accounts.create(Account(0, "one", "unlimited"))
    assert UsageWriter(folder / "ledger").write(store.usage, utc_now().date()) == 1
    store.close()


@pytest.mark.long
def test_usage_that_was_changed_is_damaged_with_and_without_its_counters(shell: Shell, edition_folder: Path) -> None:
    counted(edition_folder)
    assert parts(shell("check"))["usage"] == "sound"
    change(edition_folder, "UPDATE usage SET calls = calls + 100000")
    ended = shell("check")
    assert (ended.code, parts(ended)["usage"]) == (1, "damaged")
    assert "1 /fetch-one 100003 is not what was stored" in ended.out
    assert "the account 1 has 100,003 calls of /fetch-one" in ended.out
    for path in (edition_folder / "ledger").glob("*.page"):
        path.unlink()  # as after two days
    ended = shell("check")
    assert (ended.code, parts(ended)["usage"]) == (1, "damaged")


def test_usage_beyond_its_counters_is_damaged_although_its_checksum_is_right(
    shell: Shell, edition_folder: Path
) -> None:
    counted(edition_folder)
    store = open_store(Settings(data=edition_folder))
    (total,) = store.usage.totals(utc_now().date())
    store.usage.store_totals([replace(total, calls=total.calls + 1)])
    store.close()
    ended = shell("check")
    assert parts(ended)["usage"] == "damaged"
    assert "has 4 calls of /fetch-one" in ended.out
    assert "is not what was stored" not in ended.out


@pytest.mark.long
def test_writing_the_counters_again_does_not_hide_damage(shell: Shell, edition_folder: Path) -> None:
    counted(edition_folder)
    change(edition_folder, "UPDATE usage SET calls = calls + 100000")
    store = open_store(Settings(data=edition_folder))
    UsageWriter(edition_folder / "ledger").write(store.usage, utc_now().date())
    store.close()
    assert "is not what was stored" in shell("check").out


def test_calls_that_are_not_stored_yet_are_no_damage(shell: Shell, edition_folder: Path) -> None:
    counted(edition_folder)
    counters = WorkerCounters(edition_folder / "ledger", ["/fetch-one"], 1)
    counters.spend(1, "/fetch-one", 5, utc_now().date())
    counters.close()
    assert parts(shell("check"))["usage"] == "sound"


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b'00000000\n["EUR",[]]\n', "is not what was written"),
        (b"", "is not what was written"),
        (b"%08x\nno votes\n" % crc32(b"no votes\n"), "has 1 lines that cannot be read"),
    ],
)
def test_damaged_votes_are_named(shell: Shell, edition_folder: Path, content: bytes, fault: str) -> None:
    (edition_folder / "rates.votes").write_bytes(content)
    ended = shell("check")
    assert (ended.code, parts(ended)["votes"]) == (1, "damaged")
    assert fault in ended.out


def test_a_sandbox_is_checked_as_one(shell: Shell, folder: Path) -> None:
    (folder / "environment").write_text("sandbox\n")
    ended = shell("check", str(folder))
    assert "editions" not in parts(ended)
    assert ended.code == 0
    assert "cannot be" in shell("check").err
