"""`cambist check`: find damage in a data folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.errors import BadParameter

Folder = Annotated[
    Path | None,
    typer.Argument(help="Data folder, such as one that a backup was restored into. Default: that of the settings."),
]


def check(folder: Folder = None, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Check a data folder: database, fixings, editions, usage counters, rate matrix and rate book.

    Each fixing is checked by its checksum, and the rate matrix (`rates.image`) is compared with what the archive gives.
    Exit with 1 if something is damaged. The command changes nothing. The service may be running.
    """
    from cambist.admin.data_folder.check import check_data_directory, settings_of_folder
    from cambist.clock import utc_now
    from cambist.storage.data_directory import DataDirectory

    if folder and data:
        raise BadParameter(f"Both [{folder}] and --data [{data}] name a data folder: leave one out")
    settings = read_folder_settings(folder or data)
    DataDirectory(settings.data).check_served()
    if folder:
        settings = settings_of_folder(settings, folder)
    found = list(check_data_directory(settings, utc_now().date()))
    damaged = [each for each in found if each.faults]
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        for each in found:
            typer.echo(f"{each.part}: {'damaged' if each.faults else each.note or 'sound'}")
            for fault in each.faults:
                typer.echo(f"  {fault}")
            if each.faults and each.remedy:
                typer.echo(f"  What to do: {each.remedy}.")
    if damaged:
        raise typer.Exit(1)
