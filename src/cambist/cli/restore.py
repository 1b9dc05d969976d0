"""`cambist restore`: make a data folder of a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cambist.cli.options import AsJson
from cambist.cli.output import print_result

File = Annotated[Path, typer.Argument(help="Backup that `cambist backup` has made.")]
Folder = Annotated[Path, typer.Argument(help="New or empty folder, which becomes the data folder.")]
Database = Annotated[
    str, typer.Option(help="Empty database of PostgreSQL, by its URL, which gets the rows instead of the folder.")
]


def restore(file: File, folder: Folder, *, database: Database = "", as_json: AsJson = False) -> None:
    """Make a data folder of a backup. Each file is checked by its hash, before it is written and after.

    The folder appears only once it is complete. If the command is interrupted, run it again.
    """
    from cambist.admin.backup.restore import restore_backup
    from cambist.cli.progress import shown_progress
    from cambist.settings import without_password

    with shown_progress() as show:
        manifest = restore_backup(file, folder, database, show)
    began_at = f"{manifest.began_at:%Y-%m-%dT%H:%M:%SZ}"
    record = {
        "folder": str(folder),
        "release": manifest.release,
        "schema": manifest.schema,
        "began_at": began_at,
        "files": len(manifest.files),
    }
    where = f", and its rows into {without_password(database)}" if database else ""
    sentence = (
        f"{folder}: restored as of {began_at}{where}.\n"
        f"Check it with [cambist check {folder}], then start it with [cambist serve --data {folder}]."
    )
    print_result(record, sentence, as_json=as_json)
