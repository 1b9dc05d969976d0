"""The manifest of a backup: what it is of, and the hash of each of its files."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath
from typing import Literal

import msgspec
from msgspec import Struct

from cambist.errors import BackupRefused

BACKUP_MANIFEST = "manifest.json"
DATABASE = "cambist.db"


class BackedUpFile(Struct, frozen=True, kw_only=True):
    """A file by its path in the data folder."""

    name: str
    size: int
    sha256: str


class BackupManifest(Struct, frozen=True, kw_only=True):
    """What a backup is of. All times are UTC.

    `release` made it, and `schema` is that of its database, which the service has in `kept_in`: sqlite or postgresql.
    It has every call that was answered before `began_at`, and none that was answered after `ended_at`.
    """

    kind: Literal["cambist-backup"] = "cambist-backup"
    format: Literal[1] = 1
    release: str
    schema: str
    environment: str
    kept_in: str
    began_at: datetime
    ended_at: datetime
    has_secrets: bool
    files: tuple[BackedUpFile, ...]


def parse_backup_manifest(content: bytes) -> BackupManifest:
    """Parse a manifest. Errors: BackupRefused."""
    try:
        manifest = msgspec.json.decode(content, type=BackupManifest)
    except (ValueError, RecursionError) as error:
        raise BackupRefused(f"The manifest of the backup cannot be read: {error}") from error
    for file in manifest.files:
        parts = PurePosixPath(file.name).parts
        if not parts or ".." in parts or file.name.startswith("/") or "\0" in file.name:
            raise BackupRefused(f"The manifest of the backup has an invalid path: {file.name!r}")
    return manifest
