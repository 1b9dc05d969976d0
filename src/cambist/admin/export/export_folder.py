"""The folder of an export: what may be written into it, and whether it still holds what was written."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from cambist.admin.export.formats import FORMATS
from cambist.admin.export.manifest import MANIFEST, ExportedFile, Manifest, read_manifest
from cambist.admin.export.plan import ExportPlan
from cambist.errors import BadParameter
from cambist.storage.atomic_file import Unwritable, remove_unfinished, unfinished_files, unwritable


def open_export_folder(folder: Path, plan: ExportPlan, environment: str) -> tuple[ExportedFile, ...]:
    """Create the folder of an export, or return the files of an earlier run that the plan continues.

    Errors: BadParameter if it holds anything else, Unwritable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadParameter(f"[{folder}] is a file: name a folder for the export") from None
    except OSError as error:
        raise Unwritable(error.errno, unwritable("folder", folder, error)) from error
    manifest = read_manifest(folder)
    if manifest is None:
        if any(folder.iterdir()):
            raise BadParameter(f"The folder {folder} holds other files: name a new or empty one for the export")
        return ()
    _check_same(folder, manifest, plan, environment)
    remove_unfinished(folder)
    return manifest.files


def _check_same(folder: Path, manifest: Manifest, plan: ExportPlan, environment: str) -> None:
    """Refuse to mix two exports in one folder. Errors: BadParameter."""
    asked = {
        "format": (manifest.format, plan.format),
        "base": (manifest.base, plan.base),
        "codes": (",".join(manifest.codes) or "all", ",".join(plan.codes) or "all"),
        "since": (manifest.since, plan.since),
        "force": (manifest.forced, plan.forced),
        "environment": (manifest.environment, environment),
    }
    for name, (before, now) in asked.items():
        if before != now:
            another = f"an export with another {name}, {before} instead of {now}"
            raise BadParameter(f"The folder {folder} holds {another}: name another folder")
    if manifest.until > plan.until:
        raise BadParameter(f"The folder {folder} holds an export up to {manifest.until}, later than {plan.until}")


def verify_export(folder: Path) -> list[str]:
    """Return a sentence for each difference between a folder and its manifest. Errors: BadParameter without one."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise BadParameter(f"There is no export in {folder}: it has no {MANIFEST}")
    return list(_differences(folder, manifest))


def _differences(folder: Path, manifest: Manifest) -> Iterator[str]:
    if not manifest.complete:
        yield f"{MANIFEST}: the export was interrupted: run it again, it continues"
    for file in manifest.files:
        yield from _file_differences(folder / file.name, file, manifest.format)
    known = {MANIFEST, *(file.name for file in manifest.files), *(path.name for path in unfinished_files(folder))}
    for path in sorted(folder.iterdir()):
        if path.name not in known:
            yield f"{path.name}: is not in {MANIFEST}"


def _file_differences(path: Path, file: ExportedFile, name: str) -> Iterator[str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        yield f"{file.name}: cannot be read: {error.strerror}"
        return
    found = sha256(content).hexdigest()
    if found != file.sha256:
        yield f"{file.name}: its SHA-256 is {found} instead of {file.sha256}"
        return
    try:
        rows = FORMATS[name].count_rows(content)
    except ValueError as error:
        yield f"{file.name}: its rows cannot be counted: {error}"
        return
    if rows != file.rows:
        yield f"{file.name}: it has {rows} rows instead of {file.rows}"
