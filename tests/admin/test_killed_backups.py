"""Backups and restores that are killed leave nothing that could be taken for a whole one."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.admin.backups import backed_up, dumped, restored
from tests.patience import PATIENCE

KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from cambist.admin.backup.backup import Backup
from cambist.admin.backup.restore import restore_backup
from cambist.settings import Settings

def show(what, done, total):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

what, source, target, left = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
if what == "backup":
    Backup(Settings(data=source), lambda: datetime.now(UTC), show).write(target, with_secrets=True)
else:
    restore_backup(source, target, "", show)
print("complete")
"""
"""A process that kills itself at a step of its work."""


def is_complete(what: str, source: Path, target: Path, step: int) -> bool:
    """Run a process that kills itself at a step, and return whether it was done before."""
    command = [sys.executable, "-c", KILLED, what, str(source), str(target), str(step)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == (0 if ended.stdout else -9), ended.stderr
    return ended.stdout == "complete\n"


@pytest.mark.long
def test_a_killed_backup_leaves_no_file_and_the_next_one_removes_its_traces(used_folder: Path) -> None:
    chance, path = random.Random(1970), used_folder.parent / "saved.tar.gz"  # noqa: S311  no secrets
    for step in sorted(chance.sample(range(1, 20), 3)):
        assert not is_complete("backup", used_folder, path, step)
        assert not path.exists()
        assert list(path.parent.glob(".cambist-*"))
    made = backed_up(used_folder)
    assert not list(path.parent.glob(".cambist-*"))
    assert dumped(restored(made)) == dumped(used_folder)


@pytest.mark.long
def test_a_killed_restore_leaves_no_folder_and_the_next_one_is_whole(used_folder: Path) -> None:
    made, target = backed_up(used_folder), used_folder.parent / "restored"
    chance = random.Random(1970)  # noqa: S311  no secrets
    for step in sorted(chance.sample(range(1, 18), 3)):
        assert not is_complete("restore", made.path, target, step)
        assert not target.exists()
    assert dumped(restored(made)) == dumped(used_folder)
    assert not list(target.parent.glob(".cambist-*"))
