"""`cambist check`: whether a data folder is still what was written."""

import sqlite3

import pytest

from cambist.clock import utc_now
from cambist.registry.components import open_store
from cambist.registry.snapshots import open_snapshot_source
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import write_rate_matrix


@pytest.fixture
def whole(folder):
    """A folder with its rate image and its book."""
    settings = Settings(data=folder)
    store = open_store(settings)
    supply = open_snapshot_source(settings, store.archive)
    write_rate_matrix(folder / "rates.image", supply.build_matrix(utc_now()))
    RateBookFile(folder).publish(supply.build_book(1, utc_now()))
    store.close()
    return folder


def harm(folder, statement):
    with sqlite3.connect(folder / "cambist.db") as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


@pytest.mark.usefixtures("whole")
def test_a_sound_folder_is_sound_in_every_part(shell):
    ended = shell("check")
    assert ended.code == 0
    assert ended.out.splitlines() == ["database: sound", "fixings of ecb: sound", "rate image: sound", "book: sound"]
    assert [each["faults"] for each in shell("check", "--json").json] == [[], [], [], []]


def test_a_damaged_row_is_named_with_what_to_do(shell, whole):
    harm(whole, "UPDATE fixings SET value = '9' WHERE day = '2026-03-06' AND series_id = 1")
    ended = shell("check")
    assert ended.code == 1
    assert "fixings of ecb: damaged" in ended.out
    assert "2026-03-06 (receipt 1) is not what was filed" in ended.out
    assert "What to do: restore the database from a backup." in ended.out


def test_rows_that_are_gone_are_counted(shell, whole):
    harm(whole, "DELETE FROM fixings WHERE day = '2026-03-06' AND series_id = 1")
    assert "  1 rows are gone" in shell("check").out


def test_a_damaged_image_and_a_damaged_book_are_said(shell, whole):
    for name in ("rates.image", "book.json"):
        content = bytearray((whole / name).read_bytes())
        content[len(content) // 2] ^= 1
        (whole / name).write_bytes(content)
    ended = shell("check")
    assert ended.code == 1
    assert "rate image: damaged" in ended.out
    assert "book: damaged" in ended.out
    assert "database: sound" in ended.out


def test_a_database_that_is_none_is_damaged_and_no_traceback(shell, whole):
    (whole / "cambist.db").write_bytes(b"Dear diary, " * 1000)
    ended = shell("check")
    assert ended.code == 1
    assert "database: damaged" in ended.out


def test_a_folder_that_is_not_there_is_refused(shell, folder):
    assert "There is no data folder" in shell("check", "--data", str(folder / "nowhere")).err
