"""Ask before something is done that cannot be undone."""

from __future__ import annotations

import os

import typer

from cambist.errors import BadParameter


def confirm(question: str, what: str) -> None:
    """Ask for confirmation, and exit unless the answer is yes; `what` is what is to be done.

    Errors: BadParameter without a terminal.
    """
    if not os.isatty(0):
        raise BadParameter(f"There is no terminal to ask for confirmation on; to {what} without it, add --yes")
    typer.confirm(question, abort=True, err=True)
