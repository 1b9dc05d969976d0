"""`cambist`: the operator's commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from cambist import __version__
from cambist.errors import BadParameter, CambistError, shorten
from cambist.suggestions import near_names

COMMANDS = (
    "serve",
    "console",
    "rate",
    "convert",
    "series",
    "averages",
    "explain",
    "prices",
    "value",
    "pieces",
    "report",
    "mcp",
    "account",
    "key",
    "plans",
    "usage",
    "alert",
    "audit",
    "watch",
    "sources",
    "disputes",
    "backfill",
    "export",
    "fixing",
    "check",
    "doctor",
    "backup",
    "restore",
    "upgrade",
    "problems",
    "notify",
    "database",
    "nodes",
    "receipts",
    "verify",
    "shadow",
    "sandbox",
    "settings",
    "openapi",
    "completion",
)
"""Each is a module of this package with a Typer (`app`) or a function of the same name."""

MOVED = {"feeds": "sources"}
"""Families of commands that have ended, and those that have their commands."""


class Commands(Mapping[str, Any]):
    """The commands by name. Each module is imported when its command is needed, so that all commands start fast."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Program(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": Commands()})

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options without Typer's own for completion, which zsh does not load at the first completion.

        `cambist completion` prints scripts in their place.
        """
        return [param for param in super().get_params(ctx) if not str(param.name).endswith("_completion")]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; one that does not exist is refused with the nearest that does.

        Errors: BadParameter for a family of commands that has moved.
        """
        if args and args[0] in MOVED and not ctx.resilient_parsing:
            typed = " ".join([MOVED[args[0]], *args[1:]])
            raise BadParameter(f"The commands of [{args[0]}] have moved: type [cambist {shorten(typed)}]")
        near = near_names(args[0], COMMANDS) if args and args[0] not in COMMANDS else []
        if near:
            ctx.fail(f"No such command {args[0]!r}: did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)


@cache
def _command(name: str) -> Any:
    module = import_module(f"cambist.cli.{name}")
    program = getattr(module, "app", None)
    if program is None:
        program = typer.Typer(add_completion=False)
        program.command(name)(getattr(module, name))
    program.rich_markup_mode = app.rich_markup_mode
    command = typer.main.get_command(program)
    command.name = name
    return command


app = typer.Typer(
    name="cambist",
    cls=Program,
    help="Exchange rates, crypto prices and metals prices that say where they come from.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(is_requested: bool) -> None:  # noqa: FBT001  Typer passes it by position
    if is_requested:
        typer.echo(f"cambist {__version__}")
        raise typer.Exit


@app.callback()
def callback(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001, FBT002  its callback has done the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Exchange rates, crypto prices and metals prices that say where they come from."""
    if context.invoked_subcommand is None:
        from cambist.cli.overview import overview

        typer.echo(overview())


def main() -> None:
    """Run a command. An error is printed as one sentence on standard error, and the exit code is 2.

    It is 1 if the command was carried out and its answer is no, or a part of it failed.
    """
    try:
        code = app(prog_name="cambist", standalone_mode=False)
    except CambistError as error:
        _end(str(error))
    except OSError as error:
        from cambist.cli.file_errors import describe_os_error

        _end(describe_os_error(error))
    except TyperException as error:
        _end(_usage_error(error))
    except typer.Abort:
        _end("Stopped: nothing was done", code=1)
    sys.exit(code)


def _usage_error(error: TyperException) -> str:
    """Return what is wrong with a command line, and which command explains it; nothing if its help was shown."""
    message = " ".join(error.format_message().split()).removesuffix(".").replace(": Value error, ", ": ")
    context = getattr(error, "ctx", None)
    if not message or context is None:
        return message
    return f"{message}{' ' if message.endswith('?') else '; '}[{context.command_path} --help] explains it"


def _end(sentence: str, code: int = 2) -> NoReturn:
    if sentence:
        typer.echo(f"cambist: {sentence}", err=True)
    sys.exit(code)
