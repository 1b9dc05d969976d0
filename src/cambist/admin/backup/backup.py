"""Make a backup of a service while it runs.

The order matters (ADR 30): what was counted is copied first and the database last. So every counter file that was
removed meanwhile is in the database, and every account that has counted calls, too.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from cambist import __version__
from cambist.admin.backup.archive import described, file_digest, write_archive
from cambist.admin.backup.contents import audit_log, small_files, write_files
from cambist.admin.backup.manifest import DATABASE, BackupManifest
from cambist.admin.backup.progress import Show, Steps
from cambist.errors import BackupRefused, CannotCopy, CannotStart
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage.atomic_file import Unwritable, unwritable
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.counter_copy import copy_counter_files
from cambist.storage.sql.copying import DatabaseCopy
from cambist.storage.sql.file_copy import copy_database_file
from cambist.storage.sql.inspection import database_schema
from cambist.storage.sql.revision import newest_revision
from cambist.storage.work_folder import flush_folder, work_folder

_TRIES = 3
_SPACE_LEFT = 16 << 20


@dataclass(frozen=True, slots=True)
class FinishedBackup:
    """A backup that was made."""

    path: Path
    size: int
    sha256: str
    manifest: BackupManifest


class Backup:
    """Makes one backup. `clock` returns the time in UTC."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime], show: Show) -> None:
        """Find what there is to back up. Errors: BackupRefused, CannotStart."""
        self._folder = DataDirectory(settings.data)
        environment = self._folder.environment if settings.data.is_dir() else None
        if environment is None:
            raise BackupRefused(f"There is no service in the folder {settings.data}: name its data folder with --data")
        self._environment = environment
        self._server = settings.database if environment is Environment.LIVE else ""
        self._file = settings.data / DATABASE
        if not self._server and not (self._file.exists() and self._file.stat().st_size):
            raise BackupRefused(f"There is no database {self._file}: nothing can be backed up")
        self._clock = clock
        self._show = show

    def write(self, path: Path, *, with_secrets: bool) -> FinishedBackup:
        """Write the backup into a new file, in one step. Errors: BackupRefused, StoreBroken, Unwritable."""
        if path.exists():
            raise BackupRefused(f"The file {path} exists already, and backups replace nothing: name another one")
        if not path.parent.is_dir():
            raise BackupRefused(f"There is no folder {path.parent} for the backup")
        self._check_space(path.parent)
        try:
            with work_folder(path.parent) as work:
                content, unfinished = work / "content", work / "backup"
                content.mkdir(mode=0o700)
                manifest = self._collect(content, with_secrets=with_secrets)
                archived = Steps(self._show, "archive", sum(file.size for file in manifest.files))
                write_archive(unfinished, manifest, content, archived.advance)
                size, digest = file_digest(unfinished)
                _publish(unfinished, path)
        except OSError as error:
            if isinstance(error, Unwritable):
                raise
            raise Unwritable(error.errno, unwritable("backup", path, error)) from error
        return FinishedBackup(path, size, digest, manifest)

    def _check_space(self, parent: Path) -> None:
        """Refuse to begin what cannot be finished: the database is copied, and then the archive is written."""
        ledger = sum(512 * file.stat().st_blocks for file in self._folder.ledger.glob("*.page*"))
        needed = 2 * (ledger + (0 if self._server else self._file.stat().st_size)) + _SPACE_LEFT
        free = shutil.disk_usage(parent).free
        if free < needed:
            raise BackupRefused(
                f"The backup needs up to {needed >> 20} MB on the disk of {parent}, which has {free >> 20} MB free"
            )

    def _collect(self, content: Path, *, with_secrets: bool) -> BackupManifest:
        """Copy everything into a folder, from one state of plans and declarations."""
        began_at = self._clock()
        for _ in range(_TRIES):
            before = small_files(self._folder, with_secrets=with_secrets)
            shutil.rmtree(content)
            ledger = content / self._folder.ledger.name
            ledger.mkdir(mode=0o700, parents=True)
            self._show("counters", 0, None)
            copy_counter_files(self._folder.ledger, ledger)
            schema = self._copy_database(content / DATABASE)
            if small_files(self._folder, with_secrets=with_secrets) == before:
                break
        else:
            raise BackupRefused("Plans or declarations were changed each time they were copied: try again")
        write_files({**before, "environment": f"{self._environment}\n".encode(), **audit_log(self._folder)}, content)
        return BackupManifest(
            release=__version__,
            schema=schema,
            environment=self._environment,
            kept_in="postgresql" if self._server else "sqlite",
            began_at=began_at,
            ended_at=self._clock(),
            has_secrets=with_secrets,
            files=described(content, Steps(self._show, "hashes").advance),
        )

    def _copy_database(self, target: Path) -> str:
        """Copy the database into a file, and return its schema. Errors: BackupRefused, StoreBroken."""
        if self._server:
            self._copy_server(target)
        else:
            copy_database_file(self._file, target, partial(self._show, "database"))
        schema = database_schema(target)
        if schema > newest_revision():
            raise BackupRefused(
                f"The database has schema {schema}, this release knows those up to {newest_revision()}: "
                "make the backup with the release that runs the service"
            )
        return schema

    def _copy_server(self, target: Path) -> None:
        copy = DatabaseCopy(self._server, f"sqlite:///{target}")
        try:
            rows = Steps(self._show, "database", copy.prepare())
            copy.fill(lambda _table, count: rows.advance(count))
        except (CannotCopy, CannotStart) as error:
            raise BackupRefused(f"The database cannot be backed up: {error}") from error
        finally:
            copy.close()


def _publish(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless there is a file of this name by now. Errors: BackupRefused, OSError."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise BackupRefused(f"Meanwhile the file {path} was created by another program: name another one") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
            raise
        unfinished.rename(path)  # a file system without links
    flush_folder(path.parent)
