"""A PgBouncer of the test session, which lends the sessions of the server in `tests/postgresql.py` by the transaction.

It listens on a socket in a folder of its own, and ends with the process that started it, however that ends.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
import pytest
from tests.postgresql import TestServer, as_user, postgresql_server

_PROGRAM = "pgbouncer"
_PORT = 6432
_WAIT_SECONDS = 20
_UNTIL_PARENT_ENDS = '"$@" & pooler=$!; cat >/dev/null; kill -KILL $pooler 2>/dev/null; wait $pooler'


@dataclass
class Pooler:
    """A running PgBouncer."""

    folder: Path
    mode: str = "transaction"
    sessions: int = 20
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        """Return the URL of a database through it."""
        return f"postgresql://postgres@/{database}?host={self.folder}&port={_PORT}"

    def start(self, server: TestServer) -> None:
        """Start it before a server, and wait until it answers."""
        (self.folder / "users").write_text('"postgres" ""\n')
        (self.folder / "ini").write_text(
            f"[databases]\n* = host={server.folder} port={server.port}\n[pgbouncer]\nlisten_port = {_PORT}\n"
            f"unix_socket_dir = {self.folder}\nauth_type = trust\nauth_file = {self.folder / 'users'}\n"
            f"admin_users = postgres\npool_mode = {self.mode}\ndefault_pool_size = {self.sessions}\n"
        )
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", _UNTIL_PARENT_ENDS, "sh", program(), self.folder / "ini"],
                stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **as_user(),
            )  # fmt: skip
        until = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                psycopg.connect(f"dbname=pgbouncer user=postgres host={self.folder} port={_PORT}").close()
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise TimeoutError((self.folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End it at once."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait(_WAIT_SECONDS)
            self.process = None


def program() -> str:
    """Return the path of the program; skip the test if there is none."""
    found = shutil.which(_PROGRAM) or shutil.which(_PROGRAM, path="/usr/sbin")
    if found is None:
        pytest.skip("PgBouncer (Debian's package pgbouncer) is not installed")
    return found


def create_pooler(server: TestServer, mode: str = "transaction", sessions: int = 20) -> Pooler:
    """Start a PgBouncer before a server, which ends with this process at the latest."""
    program()
    folder = Path(tempfile.mkdtemp(prefix="pooler-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if user := as_user().get("user"):
        shutil.chown(folder, user)
    pooler = Pooler(folder, mode, sessions)
    atexit.register(pooler.stop)
    pooler.start(server)
    return pooler


@cache
def _pooler() -> Pooler:
    return create_pooler(postgresql_server())


def pooled_url(folder: Path) -> str:
    """Return the URL of the migrated database of a folder through PgBouncer, as `postgresql_url` without it."""
    server = postgresql_server()
    return _pooler().url(server.database_of(folder))
