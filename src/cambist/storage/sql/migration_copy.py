"""Copies of a SQLite database that are kept beside it before its schema is changed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from cambist.errors import CannotStart, StoreBroken
from cambist.storage.atomic_file import Unwritable
from cambist.storage.sql.file_copy import copy_database_file
from cambist.storage.work_folder import flush_folder, work_folder

_KEPT = 2
_MORE = 16 << 20


@dataclass(frozen=True, slots=True)
class NeededSpace:
    """How many bytes a database has, how many a migration of it needs, and how many its disk has free."""

    size: int
    needed: int
    free: int


def needed_space(path: Path, *, with_copy: bool = True) -> NeededSpace:
    """Return what a migration needs: the copy, and as much for tables that are written again. Errors: OSError."""
    log = path.with_name(f"{path.name}-wal")
    size = path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    return NeededSpace(size, size * (2 if with_copy else 1) + _MORE, shutil.disk_usage(path.parent).free)


def copy_path(path: Path, schema: str) -> Path:
    """Return where a database is copied before it is migrated to a schema."""
    return path.with_name(f"{path.stem}.before-{schema}{path.suffix}")


def copy_before_migration(path: Path, schema: str) -> Path:
    """Copy a database before it is migrated to a schema, and remove older copies but for the last.

    Errors: CannotStart if there is no room for it, or it cannot be read or written; then nothing was changed.
    """
    space, kept = needed_space(path), copy_path(path, schema)
    if space.free < space.needed:
        raise CannotStart(
            f"The database {path} ({space.size >> 20} MB) is copied before it is migrated, which needs "
            f"{space.needed >> 20} MB; its disk has {space.free >> 20} MB free. Free some space, or make a backup on "
            "another disk and run [cambist upgrade --without-copy]"
        )
    try:
        with work_folder(path.parent) as work:
            copy = work / kept.name
            copy_database_file(path, copy, lambda _done, _total: None)
            copy.chmod(0o600)
            with copy.open("rb") as file:
                os.fsync(file.fileno())
            copy.replace(kept)
            flush_folder(path.parent)
    except (OSError, StoreBroken, Unwritable) as error:
        raise CannotStart(f"The database {path} cannot be copied before it is migrated: {error}") from error
    for older in sorted(path.parent.glob(f"{path.stem}.before-*{path.suffix}"))[:-_KEPT]:
        older.unlink(missing_ok=True)
    return kept
