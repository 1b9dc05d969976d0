"""`cambist openapi`: write the OpenAPI document of the HTTP API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer


def openapi(
    *,
    output: Annotated[Path | None, typer.Option(help="Write it to this file instead of standard output.")] = None,
    check: Annotated[Path | None, typer.Option(help="Compare it with this file; exit with 1 if they differ.")] = None,
) -> None:
    """Write the OpenAPI document of the HTTP API, generated from the endpoints."""
    from cambist.api.docs.openapi import openapi_document
    from cambist.registry.wiring.components import endpoints, posted_endpoints

    text = (
        msgspec.json.format(
            msgspec.json.encode(openapi_document(endpoints(), posted=posted_endpoints())), indent=2
        ).decode()
        + "\n"
    )
    if check is not None:
        if not check.exists() or check.read_text(encoding="utf-8") != text:
            typer.echo(f"{check} is out of date: cambist openapi --output {check}", err=True)
            sys.exit(1)
    elif output is not None:
        output.write_text(text, encoding="utf-8")
    else:
        typer.echo(text, nl=False)
