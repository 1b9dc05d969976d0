from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from tests.postgresql import postgresql_server
from tests.storage.older_databases import create_former

from cambist.errors import CannotStart
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import backend_named
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.migrate import migrate
from cambist.storage.sql.revision import is_current, newest_revision
from cambist.storage.sql.schema import metadata


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{tmp_path / 'a.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def postgresql_engine() -> Iterator[Engine]:
    server = postgresql_server()
    name = server.new_database()
    engine = open_engine(server.url(name))
    yield engine
    engine.dispose()
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite_engine", "postgresql_engine"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """An empty database."""
    engine: Engine = request.getfixturevalue(request.param)
    return engine


def schema_sql(engine: Engine) -> list[tuple[str, str]]:
    with engine.connect() as connection:
        rows = connection.execute(text("select name, sql from sqlite_master where tbl_name <> 'alembic_version'"))
        return sorted((name, "".join((sql or "").split()).replace('"', "")) for name, sql in rows)


def test_migrating_an_empty_database_creates_the_tables_of_the_schema(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert set(inspect(engine).get_table_names()) == {*metadata.tables, "alembic_version"}


@pytest.mark.parametrize("before", [lambda _engine: None, create_former], ids=["new", "former"])
def test_the_sql_of_migrated_tables_is_that_of_the_schema(
    sqlite_engine: Engine, tmp_path: Path, before: Callable[[Engine], None]
) -> None:
    before(sqlite_engine)
    migrate(sqlite_engine)
    direct = open_engine(f"sqlite:///{tmp_path / 'direct.db'}")
    metadata.create_all(direct)
    assert schema_sql(sqlite_engine) == schema_sql(direct)
    direct.dispose()


def columns_and_indexes(engine: Engine) -> list[tuple[str, ...]]:
    """Return all columns with types and defaults, and what the indexes are, without the names that PostgreSQL chose."""
    columns = "table_name, column_name, data_type, is_nullable, regexp_replace(column_default, '_seq[0-9]*', '_seq')"
    statements = (
        f"SELECT {columns} FROM information_schema.columns WHERE table_schema = 'public'",  # noqa: S608
        (
            "SELECT tablename, regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX [^ ]+', '\\1') FROM pg_indexes "
            "WHERE schemaname = 'public'"
        ),
    )
    with engine.connect() as connection:
        rows = [tuple(map(str, row)) for one in statements for row in connection.execute(text(one))]
    return sorted(row for row in rows if row[0] != "alembic_version")


@pytest.mark.parametrize("before", [lambda _engine: None, create_former], ids=["new", "former"])
def test_the_tables_of_postgresql_are_those_of_the_schema(
    postgresql_engine: Engine, before: Callable[[Engine], None]
) -> None:
    before(postgresql_engine)
    migrate(postgresql_engine)
    migrated = columns_and_indexes(postgresql_engine)
    with postgresql_engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        metadata.create_all(connection)
    assert migrated == columns_and_indexes(postgresql_engine)
    assert any("deleted_at IS NULL" in row[-1] for row in migrated)


def test_two_migrations_at_once_do_the_work_once(postgresql_engine: Engine) -> None:
    others = [open_engine(str(postgresql_engine.url)) for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(migrate, each) for each in others]:
            done.result()
    for each in others:
        assert is_current(each)
        each.dispose()


@pytest.mark.long(every=2)
def test_a_later_start_finds_the_newest_schema_without_alembic(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert newest_revision() == MigrationContext.configure(connection).get_current_revision()
    later = (
        "import sys; from cambist.storage.sql import SqlStore; store = SqlStore(sys.argv[1]); store.migrate();"
        "names = ('alembic', 'psycopg', 'sqlalchemy.dialects.postgresql') if store._engine.dialect.name == 'sqlite' "
        "else ('alembic',); print(store.is_new(), any(name in sys.modules for name in names))"
    )
    done = subprocess.run([sys.executable, "-c", later, str(engine.url)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_second_migration_does_nothing(sqlite_engine: Engine, tmp_path: Path) -> None:
    migrate(sqlite_engine)
    before = schema_sql(sqlite_engine)
    sqlite_engine.dispose()
    content = (tmp_path / "a.db").read_bytes()
    migrate(sqlite_engine)
    sqlite_engine.dispose()
    assert schema_sql(sqlite_engine) == before
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


def test_readers_do_not_wait_for_the_writer(sqlite_engine: Engine) -> None:
    migrate(sqlite_engine)
    with sqlite_engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("pragma foreign_keys")).scalar_one() == 1


def test_without_its_driver_postgresql_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "cambist.storage.sql.backends.postgresql", raising=False)
    backend_named.cache_clear()
    with pytest.raises(CannotStart, match=r"needs the package psycopg.*psycopg\[binary\]"):
        SqlStore("postgresql://db/rates")
