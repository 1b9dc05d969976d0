"""Databases of simulated nodes: SQLite files, in memory where the machine has a file system there."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from cambist.storage.sql import SqlStore

_MEMORY = Path("/dev/shm")  # noqa: S108  a folder of its own is made in it
DATABASE = "cambist.db"


@cache
def _place() -> Path:
    """Return one folder for all simulations of this process: engines are kept by their path."""
    where = _MEMORY if _MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="cambist-simulation-", dir=where))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextmanager
def simulation_folder() -> Iterator[Path]:
    """Make a folder for the files of one simulation, and remove it at the end of the block."""
    folder = _place() / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(folder: Path) -> Path:
    """Write an empty database with all tables into a folder, and return its path."""
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / DATABASE
    path.write_bytes(_empty_database())
    return path


@cache
def _empty_database() -> bytes:
    path = _place() / "empty.db"
    store = SqlStore(f"sqlite:///{path}")
    store.migrate()
    store.close()
    return path.read_bytes()
