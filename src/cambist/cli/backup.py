"""`cambist backup`: save all that a service cannot make again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_result

File = Annotated[Path, typer.Argument(help="New file for the backup, such as cambist-2026-11-24.tar.gz.")]
WithSecrets = Annotated[
    bool,
    typer.Option("--with-secrets", help="Save the owner's key and the signing key of receipts, too. Protect the file."),
]


def backup(file: File, *, with_secrets: WithSecrets = False, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Save a service into one file, while it runs.

    The file has the database, the counted calls, plans, the audit log and your own declarations, with a hash of each.
    An existing file is not replaced, and the file appears only once it is complete.
    """
    from cambist.admin.backup.backup import Backup
    from cambist.cli.progress import shown_progress
    from cambist.clock import utc_now

    settings = read_folder_settings(data)
    with shown_progress() as show:
        made = Backup(settings, utc_now, show).write(file, with_secrets=with_secrets)
    manifest = made.manifest
    record: dict[str, Any] = {
        "file": str(made.path),
        "size": made.size,
        "sha256": made.sha256,
        "schema": manifest.schema,
        "began_at": f"{manifest.began_at:%Y-%m-%dT%H:%M:%SZ}",
        "files": [each.name for each in manifest.files],
    }
    keys = "with the keys: protect it like a password" if manifest.has_secrets else "without private keys"
    sentence = (
        f"{file}: {made.size / (1 << 20):.1f} MB, {len(manifest.files)} files, schema {manifest.schema}, {keys}.\n"
        f"SHA-256 {made.sha256}"
    )
    print_result(record, sentence, as_json=as_json)
