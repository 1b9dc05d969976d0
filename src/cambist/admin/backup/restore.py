"""Restore a backup into a new data folder, all or nothing."""

from __future__ import annotations

import os
from pathlib import Path

from cambist.admin.backup.archive import BackupArchive, copy_stream, file_digest, open_archive
from cambist.admin.backup.manifest import DATABASE, BackedUpFile, BackupManifest
from cambist.admin.backup.progress import Show, Steps
from cambist.errors import BackupRefused, CannotCopy, CannotStart, StoreBroken
from cambist.settings import without_password
from cambist.status.environment import Environment
from cambist.storage import STORES
from cambist.storage.atomic_file import Unwritable, unwritable
from cambist.storage.sql.copying import DatabaseCopy
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.file_copy import database_file_faults
from cambist.storage.sql.inspection import database_schema
from cambist.storage.sql.migrate import migrate
from cambist.storage.sql.revision import newest_revision
from cambist.storage.work_folder import flush_folder, unfinished_folders, work_folder

_NOT_OURS = "lost+found"


def restore_backup(file: Path, folder: Path, server: str, show: Show) -> BackupManifest:
    """Restore a backup into an empty or missing folder, and return its manifest.

    With `server`, the URL of an empty PostgreSQL database, its rows are restored there instead of into the folder.
    The folder gets its name, or if it is a disk of its own its database, once everything was checked.
    Errors: BackupRefused, StoreBroken, Unwritable.
    """
    if server and server.partition(":")[0].partition("+")[0] not in STORES.keys() - {"sqlite"}:
        raise BackupRefused(f"Invalid --database: [{without_password(server)}] is not the URL of a PostgreSQL database")
    if not file.is_file():
        raise BackupRefused(f"There is no file {file}")
    _check_empty(folder)
    is_disk = folder.is_mount()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with work_folder(folder if is_disk else folder.resolve().parent) as work, open_archive(file) as archive:
            manifest = archive.manifest
            _check_known(manifest, server)
            content = work / "content"
            content.mkdir(mode=0o700)
            _extract(archive, content, show)
            _check_content(content, manifest, show)
            if server:
                _fill_server(content / DATABASE, server, show)
            _check_empty(folder)
            _put_in_place(content, folder, is_disk=is_disk)
    except OSError as error:
        if isinstance(error, Unwritable):
            raise
        raise Unwritable(error.errno, unwritable("folder", folder, error)) from error
    return manifest


def _check_empty(folder: Path) -> None:
    """Refuse a folder with files. What a killed restore left there is removed. Errors: BackupRefused."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BackupRefused(f"[{folder}] is a file: name a folder")
    others = {each.name for each in folder.iterdir()} - {each.name for each in unfinished_folders(folder)} - {_NOT_OURS}
    if others:
        raise BackupRefused(f"The folder {folder} is not empty ({min(others)}): name a new or an empty one")


def _check_known(manifest: BackupManifest, server: str) -> None:
    if manifest.schema > newest_revision():
        raise BackupRefused(
            f"The backup was made by Cambist {manifest.release} (schema {manifest.schema}), and this release knows "
            f"schemas up to {newest_revision()}: restore it with that release, or a newer one"
        )
    if server and manifest.environment != Environment.LIVE:
        raise BackupRefused("The backup is of a sandbox, which keeps its database in its own folder")


def _extract(archive: BackupArchive, content: Path, show: Show) -> None:
    """Write all files, and compare what was read with the manifest. Errors: BackupRefused, OSError."""
    read = Steps(show, "files", sum(file.size for file in archive.manifest.files))
    for described, source in archive.files():
        path = content / described.name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(written, "wb") as target:
            found = copy_stream(source, target, read.advance)
            target.flush()
            os.fsync(target.fileno())
        _compare(described, found, "in the backup")


def _check_content(content: Path, manifest: BackupManifest, show: Show) -> None:
    """Read again what is on the disk, and check the database. Errors: BackupRefused, OSError."""
    read = Steps(show, "check", sum(file.size for file in manifest.files))
    for described in manifest.files:
        _compare(described, file_digest(content / described.name, read.advance), "on the disk")
    database = content / DATABASE
    if not database.exists():
        raise BackupRefused("The backup has no database")
    try:
        if faults := database_file_faults(database):
            raise BackupRefused(f"The database of the backup is damaged: {faults[0]}")
        schema = database_schema(database)
    except CannotStart as error:
        raise BackupRefused(f"The database of the backup cannot be read: {error}") from error
    if schema != manifest.schema:
        raise BackupRefused(f"The database of the backup has schema {schema}, its manifest says {manifest.schema}")


def _compare(described: BackedUpFile, found: tuple[int, str], where: str) -> None:
    if found != (described.size, described.sha256):
        raise BackupRefused(
            f"The file {described.name} {where} is not what was backed up: its SHA-256 is {found[1]} "
            f"instead of {described.sha256}"
        )


def _fill_server(database: Path, server: str, show: Show) -> None:
    """Copy a database into an empty one of PostgreSQL in one transaction, and remove it."""
    engine = open_engine(url := f"sqlite:///{database}")
    try:
        migrate(engine)
    finally:
        engine.dispose()
    copy = DatabaseCopy(url, server)
    try:
        rows = Steps(show, "database", 2 * copy.prepare())
        copy.fill(lambda _table, count: rows.advance(count))
        copy.compare(lambda _table, count: rows.advance(count))
    except (CannotCopy, CannotStart, StoreBroken) as error:
        raise BackupRefused(f"The database cannot be restored: {error}") from error
    finally:
        copy.close()
    for path in database.parent.glob(f"{DATABASE}*"):
        path.unlink()


def _put_in_place(content: Path, folder: Path, *, is_disk: bool) -> None:
    """Give the finished folder its name. Into a disk, files are moved, the database last: without it nothing starts."""
    for path in content.rglob("*"):
        if path.is_dir():
            flush_folder(path)
    flush_folder(content)
    if not is_disk:
        content.rename(folder.resolve())
        flush_folder(folder.resolve().parent)
        return
    for path in sorted(content.iterdir(), key=lambda path: path.name == DATABASE):
        path.rename(folder / path.name)
        flush_folder(folder)
