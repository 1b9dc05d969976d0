"""`cambist check` finds damage in a data folder."""

import sqlite3

import pytest

from cambist.clock import utc_now
from cambist.registry.archiving.snapshots import open_snapshot_source
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import write_rate_matrix


@pytest.fixture
def folder_with_files(folder):
    """A data folder with a rate matrix and a rate book."""
    settings = Settings(data=folder)
    store = open_store(settings)
    supply = open_snapshot_source(settings, store)
    write_rate_matrix(folder / "rates.image", supply.build_matrix(utc_now()))
    RateBookFile(folder).publish(supply.build_book(1, utc_now()))
    store.close()
    return folder


def damage(folder, statement):
    with sqlite3.connect(folder / "cambist.db") as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


@pytest.mark.long
@pytest.mark.usefixtures("folder_with_files")
def test_every_part_of_an_undamaged_folder_is_sound(shell):
    ended = shell("check")
    assert ended.code == 0
    parts = (
        "database",
        "fixings of ecb",
        "editions",
        "verdicts",
        "usage counters",
        "usage",
        "rate image",
        "book",
        "votes",
    )
    assert ended.out.splitlines() == [f"{part}: sound" for part in parts]
    assert [each["faults"] for each in shell("check", "--json").json] == [[]] * 9


@pytest.mark.long
def test_a_damaged_row_is_reported_with_what_to_do(shell, folder_with_files):
    damage(folder_with_files, "UPDATE fixings SET value = '9' WHERE day = '2026-03-06' AND series_id = 1")
    ended = shell("check")
    assert ended.code == 1
    assert "fixings of ecb: damaged" in ended.out
    assert "2026-03-06 (delivery 1) is not what was filed" in ended.out
    assert "What to do: restore the database from a backup." in ended.out


@pytest.mark.long
def test_a_damaged_verdict_is_reported(shell, folder_with_files):
    with sqlite3.connect(folder_with_files / "cambist.db") as connection:
        (rules,) = connection.execute("SELECT rules FROM judged").fetchone()
        connection.execute(
            "INSERT INTO verdicts (rules, code, day, outcome, delivery) VALUES (?, 'EUR', 20518, '', 1)", (rules,)
        )
    connection.close()
    ended = shell("check")
    assert ended.code == 1
    assert "verdicts: damaged" in ended.out
    assert "the verdicts on EUR of 1 days are not those that its fixings give" in ended.out


def test_missing_rows_are_counted(shell, folder_with_files):
    damage(folder_with_files, "DELETE FROM fixings WHERE day = '2026-03-06' AND series_id = 1")
    assert "  1 rows are gone" in shell("check").out


def test_a_damaged_rate_matrix_and_a_damaged_rate_book_are_reported(shell, folder_with_files):
    for name in ("rates.image", "rates.book"):
        content = bytearray((folder_with_files / name).read_bytes())
        content[5000] ^= 1
        (folder_with_files / name).write_bytes(content)
    ended = shell("check")
    assert ended.code == 1
    assert "rate image: damaged" in ended.out
    assert "book: damaged" in ended.out
    assert "database: sound" in ended.out


def test_a_file_that_is_not_a_database_is_reported_without_a_traceback(shell, folder_with_files):
    (folder_with_files / "cambist.db").write_bytes(b"Dear diary, " * 1000)
    ended = shell("check")
    assert ended.code == 1
    assert "database: damaged" in ended.out


def test_a_missing_folder_is_refused(shell, folder):
    assert "There is no service's data in" in shell("check", "--data", str(folder / "nowhere")).err
