"""A folder for unfinished files beside the place where they belong once they are finished."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from cambist.storage.atomic_file import Unwritable, unwritable

_PREFIX, _SUFFIX = ".cambist-", ".unfinished"


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """Make a private folder, and remove it at the end of the block. Errors: Unwritable.

    What processes left there that were killed is removed first: nobody has their folders locked any more.
    """
    try:
        for left in unfinished_folders(parent):
            _remove_if_unlocked(left)
        path, lock = _make_locked(parent)
    except OSError as error:
        raise Unwritable(error.errno, unwritable("folder", parent, error)) from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def unfinished_folders(parent: Path) -> list[Path]:
    """Return the folders of running processes, and of those that were killed. Errors: OSError."""
    return [each for each in parent.iterdir() if each.name.startswith(_PREFIX) and each.name.endswith(_SUFFIX)]


def _make_locked(parent: Path) -> tuple[Path, int]:
    while True:
        path = Path(mkdtemp(prefix=_PREFIX, suffix=_SUFFIX, dir=parent))
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():  # else another process took it for one that was left, before it was locked
            return path, lock
        os.close(lock)


def _remove_if_unlocked(path: Path) -> None:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(lock)


def flush_folder(path: Path) -> None:
    """Write to the disk which files a folder has. Errors: OSError."""
    folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
