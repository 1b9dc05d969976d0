"""Data folders as a first start leaves them: a run of tests makes one of each kind, and copies it for each service."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.service.processes import environment

FOLDERS = "FOLDERS_OF_FIRST_STARTS"
"""The variable that names where all processes of a run keep them; conftest.py sets it."""

LONGEST_SECONDS = 180
PROGRAM = """
import sys
from pathlib import Path
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.settings import Settings

bootstrap = Bootstrap(Settings(data=Path(sys.argv[1]), sandbox=sys.argv[2] == "sandbox"), utc_now)
bootstrap.prepare(lambda _: None)
bootstrap.create_owner()
bootstrap.close()
"""
"""What a start does before it serves."""


def copy_first_start(data: Path, *, is_sandbox: bool = False) -> None:
    """Make a data folder as a first start leaves it, so that a service that starts on it does not begin with that."""
    kind = "sandbox" if is_sandbox else "live"
    with (Path(os.environ[FOLDERS]) / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = Path(os.environ[FOLDERS]) / kind
        if not (kept / "owner.key").exists():
            command = [sys.executable, "-c", PROGRAM, str(kept), kind]
            subprocess.run(command, env=environment(), check=True, timeout=LONGEST_SECONDS)
    shutil.copytree(kept, data, ignore=shutil.ignore_patterns("cambist.lock", "cambist.db-shm", "cambist.db-wal"))
