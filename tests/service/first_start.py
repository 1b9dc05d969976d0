"""Data folders as a first start leaves them: a run of tests makes one of each kind, and copies it for each service."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.postgresql import TestServer
from tests.service.processes import environment

FOLDERS = "FOLDERS_OF_FIRST_STARTS"
"""The variable that names where all processes of a run keep them; conftest.py sets it. Tools do without."""

LONGEST_SECONDS = 180
PROGRAM = """
import sys
import tempfile
from pathlib import Path
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.settings import Settings

data, kind, database = sys.argv[1:]
bootstrap = Bootstrap(Settings(data=Path(data), sandbox=kind == "sandbox", database=database), utc_now)
bootstrap.prepare(lambda _: None)
bootstrap.create_owner()
bootstrap.close()
"""
"""What a start does before it serves."""


def copy_first_start(data: Path, *, is_sandbox: bool = False) -> None:
    """Make a data folder as a first start leaves it, so that a service that starts on it does not begin with that."""
    kind = "sandbox" if is_sandbox else "live"
    os.environ[FOLDERS] = os.environ.get(FOLDERS) or tempfile.mkdtemp(prefix="cambist-first-starts-")
    folders = Path(os.environ[FOLDERS])
    with (folders / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = folders / kind
        if not (kept / "owner.key").exists():
            _start_first(kept, kind)
    _copy(kept, data)


_LOG_SEQUENCES = """
SELECT setval((schemaname || '.' || sequencename)::regclass, last_value) FROM pg_sequences
WHERE last_value IS NOT NULL"""
"""Has the next number of each sequence logged. Without it, a crash of the server takes those of a copy back."""


def copy_first_start_on(server: TestServer, data: Path) -> str:
    """Make a data folder and a database of a server as a first start leaves them; return the name of the database."""
    name, kept = "first_start", server.folder / "first_start"
    if not kept.exists():
        server.execute(f"CREATE DATABASE {name}")
        _start_first(kept, "live", server.url(name))
        server.execute(_LOG_SEQUENCES, name)
    _copy(kept, data)
    return server.new_database(f"TEMPLATE {name}")


def _start_first(data: Path, kind: str, database: str = "") -> None:
    command = [sys.executable, "-c", PROGRAM, str(data), kind, database]
    subprocess.run(command, env=environment(), check=True, timeout=LONGEST_SECONDS)


def _copy(kept: Path, data: Path) -> None:
    shutil.copytree(kept, data, ignore=shutil.ignore_patterns("cambist.lock", "cambist.db-shm", "cambist.db-wal"))
