from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.command import upgrade
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from cambist.errors import CannotStart
from cambist.storage.sql import SqlStore
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.migrate import migrate
from cambist.storage.sql.revision import newest_revision
from cambist.storage.sql.schema import metadata


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{tmp_path / 'a.db'}")
    yield engine
    engine.dispose()


def schema_sql(engine: Engine) -> list[tuple[str, str]]:
    with engine.connect() as connection:
        rows = connection.execute(text("select name, sql from sqlite_master where tbl_name <> 'alembic_version'"))
        return sorted((name, "".join((sql or "").split()).replace('"', "")) for name, sql in rows)


def test_migrating_an_empty_database_creates_the_tables_of_the_schema(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert set(inspect(engine).get_table_names()) == {*metadata.tables, "alembic_version"}


def test_the_sql_of_migrated_tables_is_that_of_the_schema(engine: Engine, tmp_path: Path) -> None:
    migrate(engine)
    direct = open_engine(f"sqlite:///{tmp_path / 'direct.db'}")
    metadata.create_all(direct)
    assert schema_sql(engine) == schema_sql(direct)
    direct.dispose()


def test_a_later_start_finds_the_newest_schema_without_alembic(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert newest_revision() == MigrationContext.configure(connection).get_current_revision()
    later = (
        "import sys; from cambist.storage.sql import SqlStore; store = SqlStore(sys.argv[1]); store.migrate();"
        "print(store.is_new(), 'alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", later, str(engine.url)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_second_migration_does_nothing(engine: Engine, tmp_path: Path) -> None:
    migrate(engine)
    before = schema_sql(engine)
    engine.dispose()
    content = (tmp_path / "a.db").read_bytes()
    migrate(engine)
    engine.dispose()
    assert schema_sql(engine) == before
    assert (tmp_path / "a.db").read_bytes() == content


def test_an_interrupted_migration_is_repeated_at_the_next_start(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(op, "create_index", cut_off)
    with pytest.raises(KeyboardInterrupt):
        migrate(engine)
    monkeypatch.undo()
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_a_database_without_bars_gets_their_tables_and_keeps_its_data(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("alembic.command.upgrade", lambda config, _head: upgrade(config, "0003"))
        migrate(engine)
    assert not {"bars", "bar_series"} & set(inspect(engine).get_table_names())
    with engine.begin() as connection:
        connection.execute(text("insert into series (source, base, quote) values ('ecb', 'EUR', 'USD')"))
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select source, base, quote from series")).all() == [("ecb", "EUR", "USD")]
        assert connection.execute(text("select version_num from alembic_version")).scalar_one() == "0007"
        assert connection.execute(text("select count(*) from bars")).scalar_one() == 0


def test_the_database_of_a_newer_version_is_refused_and_not_changed(engine: Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(CannotStart, match=r"newer Cambist \(schema 9999\)"):
        migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select version_num from alembic_version")).scalar_one() == "9999"


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"Dear diary, " * 1000)
    store = SqlStore(f"sqlite:///{path}")
    with pytest.raises(CannotStart, match="cannot be used"):
        store.migrate()
    store.close()
    assert path.read_bytes() == b"Dear diary, " * 1000


def test_a_database_in_a_missing_directory_is_refused(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'nowhere' / 'a.db'}")
    with pytest.raises(CannotStart, match="cannot be used"):
        store.migrate()
    store.close()


def test_readers_do_not_wait_for_the_writer(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("pragma foreign_keys")).scalar_one() == 1


def test_a_quarantine_without_units_is_migrated_completely(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("alembic.command.upgrade", lambda config, _head: upgrade(config, "0004"))
        migrate(engine)
    row = "3, 'nbp', 'XAU', 'PLN', 'gram', '2026-03-06', 1, '500', 'why', '2026-03-06', 'origin', 'waiting', NULL"
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO quarantine VALUES ({row})"))  # noqa: S608  no input in it
        before = connection.execute(text("SELECT * FROM quarantine")).all()
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT * FROM quarantine")).all() == before
