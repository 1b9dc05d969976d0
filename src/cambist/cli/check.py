"""`cambist check`: find damage in a data folder."""

from __future__ import annotations

import os
from dataclasses import asdict

import typer

from cambist.cli.options import AsJson, DataFolder
from cambist.cli.output import print_json
from cambist.errors import BadParameter
from cambist.settings import read_settings


def check(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Check the database, the checksum of each fixing, the rate matrix (`rates.image`) and the rate book.

    Exit with 1 if something is damaged. The command changes nothing. The service may be running.
    """
    from cambist.admin.check import check_data_directory

    settings = read_settings(os.environ, {"data": data})
    if not settings.data.exists():
        raise BadParameter(f"There is no data folder {settings.data}: run [cambist serve] once, or name --data")
    found = list(check_data_directory(settings))
    damaged = [each for each in found if each.faults]
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        for each in found:
            typer.echo(f"{each.part}: {'damaged' if each.faults else 'sound'}")
            for fault in each.faults:
                typer.echo(f"  {fault}")
            if each.faults and each.remedy:
                typer.echo(f"  What to do: {each.remedy}.")
    if damaged:
        raise typer.Exit(1)
