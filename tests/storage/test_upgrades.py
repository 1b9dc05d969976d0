"""Databases of the former schema are upgraded with all their rows, also if the upgrade is killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, select, text
from tests.patience import PATIENCE
from tests.postgresql import postgresql_server
from tests.storage.older_databases import create_former, fill, rows_of

from cambist import __version__
from cambist.errors import CannotStart
from cambist.history.damaged_rows import DamageReport
from cambist.storage.sql import SqlStore, migration_copy
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.former_schema import FORMER_SCHEMA
from cambist.storage.sql.migrate import migrate
from cambist.storage.sql.revision import newest_revision, revisions
from cambist.storage.sql.schema import metadata, schema_releases

KILLED = """
import os, signal, sys
from sqlalchemy import event
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.former_schema import FORMER_SCHEMA
from cambist.storage.sql.migrate import migrate

engine, left = open_engine(sys.argv[1]), int(sys.argv[2])

@event.listens_for(engine, "before_cursor_execute")
def count(*_):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

migrate(engine)
print("complete")
"""


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator[Any]:
    """Return what opens an empty database of a kind."""
    opened: list[Engine] = []
    server_databases: list[str] = []

    def make(kind: str) -> Engine:
        if kind == "sqlite":
            url = f"sqlite:///{tmp_path / f'{len(opened)}' / 'cambist.db'}"
            (tmp_path / f"{len(opened)}").mkdir()
        else:
            server_databases.append(postgresql_server().new_database())
            url = postgresql_server().url(server_databases[-1])
        opened.append(open_engine(url))
        return opened[-1]

    yield make
    for engine in opened:
        engine.dispose()
    for name in server_databases:
        postgresql_server().execute(f"DROP DATABASE {name} WITH (FORCE)")


def older(make_engine: Any, kind: str) -> Engine:
    engine: Engine = make_engine(kind)
    create_former(engine)
    fill(engine)
    return engine


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False).replace("postgresql+psycopg", "postgresql")


def check_rows_are_kept(engine: Engine, before: dict[str, list[dict[str, Any]]]) -> None:
    after = rows_of(engine)
    for table, rows in before.items():
        assert rows, table
        assert [{name: row[name] for name in rows[0]} for row in after[table]] == rows


@pytest.mark.long(every=2)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_of_the_former_schema_is_upgraded_with_all_its_rows(kind: str, make_engine: Any) -> None:
    engine = older(make_engine, kind)
    before = rows_of(engine)
    store = SqlStore(url_of(engine))
    store.migrate()
    assert revisions(engine) == [newest_revision()]
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        releases = connection.execute(select(schema_releases.c.schema, schema_releases.c.release)).all()
    assert (newest_revision(), __version__) in releases
    check_rows_are_kept(engine, before)
    damage = DamageReport()
    assert [rates for _pair, _days, rates in store.archive.rates("ecb", damage)] == [[1.102]]
    assert (len(damage.rows), damage.missing) == (0, 0)
    assert [account.name for account in store.accounts.all()] == ["ann"]
    store.close()


@pytest.mark.parametrize(("kind", "schema"), [("sqlite", "0014"), ("postgresql", "0001")])
def test_a_database_of_an_older_schema_is_refused_with_what_to_do(kind: str, schema: str, make_engine: Any) -> None:
    engine = older(make_engine, kind)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :schema"), {"schema": schema})
    before = rows_of(engine)
    with pytest.raises(CannotStart, match=rf"has schema {schema}.*\[cambist upgrade\] of the commit 8fa8fce4d1 first"):
        migrate(engine)
    assert (revisions(engine), rows_of(engine)) == ([schema], before)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_upgrade_that_is_killed_is_complete_or_begins_again(kind: str, make_engine: Any) -> None:
    whole, engine = (older(make_engine, kind) for _ in range(2))
    before = rows_of(engine)
    migrate(whole)
    chance, ended = random.Random(1970), []  # noqa: S311  no secrets
    for step in sorted(chance.sample(range(4, 16), 3)):
        command = [sys.executable, "-c", KILLED, url_of(engine), str(step)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        ended.append(done.returncode)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        engine.dispose()
        assert revisions(engine) in ([FORMER_SCHEMA], [newest_revision()])
        check_rows_are_kept(engine, before)
    assert -signal.SIGKILL in ended
    migrate(engine)
    assert rows_of(engine) == rows_of(whole)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def folder_of(engine: Engine) -> Path:
    return Path(str(engine.url.database)).parent


def test_a_copy_of_what_it_was_is_kept_beside_the_database(make_engine: Any) -> None:
    engine = older(make_engine, "sqlite")
    before, folder = rows_of(engine), folder_of(engine)
    for schema in ("0013", "0014", FORMER_SCHEMA):
        (folder / f"cambist.before-{schema}.db").write_text("older")
    migrate(engine)
    name = f"cambist.before-{newest_revision()}.db"
    assert sorted(path.name for path in folder.glob("*before*")) == [f"cambist.before-{FORMER_SCHEMA}.db", name]
    copy = open_engine(f"sqlite:///{folder / name}")
    assert revisions(copy) == [FORMER_SCHEMA]
    assert rows_of(copy) == before
    copy.dispose()
    assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert not list(folder.glob(".*"))


def test_a_new_database_and_a_current_one_are_not_copied(make_engine: Any) -> None:
    engine = make_engine("sqlite")
    migrate(engine)
    migrate(engine)
    assert not list(folder_of(engine).glob("*before*"))


def test_without_room_for_the_copy_nothing_is_migrated(make_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = older(make_engine, "sqlite")
    monkeypatch.setattr(migration_copy.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1}))
    with pytest.raises(CannotStart, match=r"its disk has 0 MB free.*--without-copy"):
        migrate(engine)
    assert revisions(engine) == [FORMER_SCHEMA]
    migrate(engine, with_copy=False)
    assert revisions(engine) == [newest_revision()]


@pytest.mark.parametrize(("kind", "release"), [("sqlite", "7.1.0"), ("postgresql", "7.1.0.dev0+g0123456789ab")])
def test_a_newer_schema_is_refused_with_the_release_to_install(kind: str, release: str, make_engine: Any) -> None:
    engine = make_engine(kind)
    migrate(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        row = {"release": release}
        connection.execute(text("INSERT INTO schema_releases VALUES ('9999', :release, '2027-01-02 03:04:05')"), row)
    with pytest.raises(CannotStart) as refused:
        migrate(engine)
    assert str(refused.value).endswith(
        f"(schema 9999): it was migrated by {release}, and this is {__version__}; install Cambist 7.1.0 or newer"
    )
    assert revisions(engine) == ["9999"]
