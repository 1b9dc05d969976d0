"""What a backup has of a data folder."""

from __future__ import annotations

from pathlib import Path

from cambist.errors import BackupRefused
from cambist.registry.sources.source_adapters import OWN_SOURCES
from cambist.storage.data_directory import DataDirectory
from cambist.storage.key_folder import SIGNING_KEY


def small_files(folder: DataDirectory, *, with_secrets: bool) -> dict[str, bytes]:
    """Return what an operator has written or chosen, by path in the folder. Errors: BackupRefused.

    The audit log, which only grows, is not among them.
    """
    paths = [folder.plans, folder.plans_in_force, folder.previous_plans, folder.faults, folder.path / "environment"]
    own = folder.path / OWN_SOURCES
    paths += sorted(path for path in own.rglob("*") if path.is_file() and not path.name.startswith("."))
    if with_secrets:
        paths += [folder.owner_key, folder.keys / SIGNING_KEY]
    found = {path.relative_to(folder.path).as_posix(): _content(path) for path in paths}
    return {name: content for name, content in found.items() if content is not None}


def audit_log(folder: DataDirectory) -> dict[str, bytes]:
    """Return the whole lines of the audit log; the last one may be half written. Errors: BackupRefused."""
    content = _content(folder.audit_log)
    return {} if content is None else {folder.audit_log.name: content[: content.rfind(b"\n") + 1]}


def write_files(files: dict[str, bytes], target: Path) -> None:
    """Write files below a folder. Errors: OSError."""
    for name, content in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BackupRefused(f"The file {path} cannot be read: {error.strerror}") from error
