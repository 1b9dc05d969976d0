"""`cambist upgrade` that is killed at any step: the folder is sound, and another run completes it.

`make long-rounds` kills it at more steps.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_upgrade import schema_of
from tests.service.processes import environment
from tests.storage.older_databases import create_former, fill

from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.former_schema import FORMER_SCHEMA
from cambist.storage.sql.revision import newest_revision

LONGER = min(int(os.environ.get("LONGER", "1")), 5)

KILLED = """
import os, signal, sys
from cambist.__main__ import main

folder, left = sys.argv[1], int(sys.argv[2])
CHANGES = {"os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "sqlite3.connect"}

def count(event, arguments):
    global left
    is_change = event in CHANGES and "__pycache__" not in str(arguments[0])
    if is_change or (event == "open" and str(arguments[0]).startswith(folder)):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
sys.argv[1:] = ["upgrade", "--data", folder]
try:
    main()
finally:
    print(-left)
"""


@pytest.fixture
def older(finished: Path) -> Path:
    (finished / "cambist.db").unlink()
    engine = open_engine(f"sqlite:///{finished / 'cambist.db'}")
    create_former(engine)
    fill(engine)
    engine.dispose()
    return finished


def upgrade(folder: Path, steps: int = 0, **variables: str) -> tuple[int, int | None]:
    """Upgrade, and be killed at a step, counted from 1; return the exit code, and how many steps there were."""
    command = [sys.executable, "-c", KILLED, str(folder), str(steps)]
    done = subprocess.run(
        command, env=environment(**variables), capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, int(done.stdout.split()[-1]) if done.returncode == 0 else None


def names(folder: Path) -> set[str]:
    """Return the names of its files, without temporary ones: the next start removes those of killed processes."""
    return {path.name for path in folder.iterdir() if path.name[0] != "." and not path.name.endswith(("-wal", "-shm"))}


def check(database: Path) -> None:
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.long
def test_an_upgrade_that_is_killed_at_any_step_leaves_a_sound_folder_and_can_be_repeated(
    older: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copytree(older, tmp_path / "whole"))
    _, steps = upgrade(whole)
    assert steps > 20
    chance = random.Random(1970)  # noqa: S311  no secrets
    # The copy is made in the second half of the steps.
    for step in [
        *chance.sample(range(1, steps // 2), LONGER),
        *chance.sample(range(steps // 2, steps), 2 * LONGER),
        steps,
    ]:
        folder = Path(shutil.copytree(older, tmp_path / f"{step}"))
        assert upgrade(folder, step) == (-signal.SIGKILL, None)
        check(folder / "cambist.db")
        assert schema_of(folder) == FORMER_SCHEMA
        kept = folder / f"cambist.before-{newest_revision()}.db"
        if kept.exists():
            check(kept)
        assert upgrade(folder)[0] == 0
        assert schema_of(folder) == newest_revision()
        assert names(folder) == names(whole), f"killed at step {step}"
