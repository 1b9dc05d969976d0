"""`cambist console`: print a one-time link that signs in to the operator's console."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json


def console(
    *,
    data: DataFolder = None,
    operator_port: Annotated[
        int | None, typer.Option(help="The service's operator port, if it is not that of the settings.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a link that signs in to the operator's console; it works once, within five minutes."""
    from cambist.admin.operators.sign_in_links import LINK_LIFE, SignInLinks
    from cambist.clock import utc_now

    settings = read_folder_settings(data, operator_port=operator_port)
    token = SignInLinks(settings, utc_now).create()
    link = f"{settings.operator_url}/console/sign-in?token={token}"
    if as_json:
        print_json({"link": link, "expires_at": utc_now() + LINK_LIFE})
        return
    minutes = LINK_LIFE.total_seconds() / 60
    typer.echo(f"Open this link in a browser on this machine within {minutes:.0f} minutes; it works once:", err=True)
    typer.echo(link)
