"""What the archive worker does with the stores of a data directory."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from cambist.errors import CannotStart
from cambist.ingest.filing import Delivery
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_matrix_file import open_rate_matrix
from cambist.storage.sql import SqlStore

T = TypeVar("T")
NOW = datetime(2026, 3, 7, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
LATER = b"Date,USD,\n2026-03-06,1.2500,\n"


def delivery(content: bytes, origin: str = "a test") -> Delivery:
    return Delivery(content, origin, NOW)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder with an empty database."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    return Settings(data=tmp_path)


def test_the_folder_of_a_sandbox_is_refused(tmp_path: Path) -> None:
    folder = DataDirectory(tmp_path)
    folder.claim(Environment.SANDBOX)
    folder.release()
    with pytest.raises(CannotStart, match="is a sandbox and stays one"):
        ArchiveTasks(Settings(data=tmp_path))


def test_fixings_are_validated_against_the_newest_rate_matrix(settings: Settings) -> None:
    """The history of another source confirms a jump, once it is in the image of the folder."""
    archive = ArchiveTasks(settings)
    archive.file("ecb", delivery(b"Date,USD,\n2026-03-02,1.2000,\n2026-03-03,1.2010,\n"))
    assert archive._current_matrix() is None
    archive.rebuild_matrix(TODAY)
    matrix = archive._current_matrix()
    assert matrix is not None
    assert archive._current_matrix() is matrix
    other = ArchiveTasks(settings)
    other.file("ecb", delivery(b"Date,USD,\n2026-03-04,1.2020,\n"))
    other.rebuild_matrix(TODAY)
    newer = archive._current_matrix()
    assert newer is not None
    assert newer.last_fixing == date(2026, 3, 4)


def test_a_damaged_rate_matrix_is_ignored_and_rebuilt(settings: Settings) -> None:
    (settings.data / "rates.image").write_bytes(b"no image")
    archive = ArchiveTasks(settings)
    assert archive._current_matrix() is None
    archive.file("ecb", delivery(LATER))
    assert archive.rebuild_matrix(TODAY) is True
    assert open_rate_matrix(settings.data / "rates.image").last_fixing == date(2026, 3, 6)


def test_an_edition_that_the_database_has_lost_is_recorded_again(settings: Settings) -> None:
    """After a loss of power, or with a restored database, the rate matrix may be newer than the record of it."""
    archive = ArchiveTasks(settings)
    archive.file("ecb", delivery(LATER))
    archive.rebuild_matrix(TODAY)
    edition = open_rate_matrix(settings.data / "rates.image").edition
    with sqlite3.connect(settings.data / "cambist.db") as database:
        database.execute("DELETE FROM editions")
    database.close()
    assert archive._store.editions.find(edition) is None
    assert archive.rebuild_matrix(TODAY) is False
    assert archive._store.editions.find(edition) is not None
